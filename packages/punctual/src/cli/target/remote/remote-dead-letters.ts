/** Dead letters of a server, as the library has them. */
import { type Client, PunctualHttpError } from '@punctual/client'
import type {
  DeadLetter,
  DeadLetterCause,
  DeadLetterFilter,
  DeadLetterHandling,
} from '@punctual/core/dead-letter'
import { limits } from '@punctual/core/errors'
import type { DeadLetterDetails } from '../../../dead-letters/dead-letters.ts'
import type { ManyOptions, ReplayManyOptions } from '../../../dead-letters/replay-many.ts'
import { idOf } from '../../../runs/reference.ts'
import type { Operator } from '../../runtime/operator.ts'
import { libraryNames, wireNames } from './library-names.ts'
import { notOverHttp } from './not-over-http.ts'
import { nullWhenMissing } from './null-when-missing.ts'

type Letters = Operator['deadLetters']

export function remoteDeadLetters(client: Client): Letters {
  return { ...one(client), ...several(client) }
}

function one({ deadLetters }: Client): Pick<Letters, 'get' | 'replay' | 'discard'> {
  const handled = (error: unknown) =>
    error instanceof PunctualHttpError && error.code === 'already_handled'
  return {
    async get(letter) {
      const found = await nullWhenMissing(deadLetters.get(idOf(letter)))
      return libraryNames(found) as DeadLetterDetails | null
    },
    // Who asks is known by the key.
    async replay(letter, { payload, fromCheckpoint, note } = {}) {
      const id = idOf(letter)
      try {
        const made = await deadLetters.replay(id, {
          payload,
          from_checkpoint: fromCheckpoint,
          note,
        })
        return { result: 'replayed', id: made.run_id }
      } catch (error) {
        if (!handled(error)) throw error
        const before = libraryNames((await deadLetters.get(id)).handled) as DeadLetterHandling
        return { result: 'already_handled', handled: before }
      }
    },
    async discard(letter, { reason }) {
      const asked = deadLetters.discard(idOf(letter), { reason })
      try {
        return (await asked).result
      } catch (error) {
        if (handled(error)) return 'already_handled'
        throw error
      }
    },
  }
}

function several({ deadLetters }: Client): Omit<Letters, 'get' | 'replay' | 'discard'> {
  return {
    async list({ limit = 50, after, state, ...filter } = {}) {
      const cursor = after === undefined ? undefined : idOf(after)
      const query = { ...wireFilter(filter), state, limit, cursor }
      return libraryNames(await deadLetters.list(query).all(limit)) as DeadLetter[]
    },
    async causes({ limit = 50, state, ...filter } = {}) {
      const causes = await deadLetters.causes({ ...wireFilter(filter), state, limit })
      return libraryNames(causes) as DeadLetterCause[]
    },
    async replayMany(filter, options = {}) {
      refusePace(options)
      const { fromCheckpoint, note } = options
      const done = await deadLetters.replayMany({
        ...manyOf(filter, options),
        ...{ from_checkpoint: fromCheckpoint, note },
      })
      const { matched, replayed, already_handled: alreadyHandled, key_busy: keyBusy } = done
      const counts = { matching: matched, wanted: matched, replayed, alreadyHandled, keyBusy }
      return { ...counts, ended: 0, failed: 0, stopped: null, runIds: done.run_ids }
    },
    async discardMany(filter, { reason, ...options }) {
      const done = await deadLetters.discardMany({ ...manyOf(filter, options), reason })
      return { matching: done.matched, discarded: done.discarded }
    },
  }
}

function wireFilter(filter: DeadLetterFilter) {
  const { diedFrom, diedBefore, ...words } = filter
  const at = (moment: DeadLetterFilter['diedFrom']) =>
    moment === undefined ? undefined : new Date(moment).toISOString()
  return { ...(wireNames(words) as object), died_from: at(diedFrom), died_before: at(diedBefore) }
}

function manyOf(filter: DeadLetterFilter, { all, dryRun, limit }: ManyOptions) {
  if (limit !== undefined && limit > limits.batchSize)
    notOverHttp(`--limit above ${limits.batchSize}`)
  return { filter: wireFilter(filter), all, dry_run: dryRun, limit: limit ?? limits.batchSize }
}

/** The API replays as fast as it goes. */
function refusePace({ perSecond, canary, stopAtFailureRate, minEnded }: ReplayManyOptions): void {
  const paces = { perSecond, canary, stopAtFailureRate, minEnded }
  if (Object.values(paces).some((value) => value !== undefined))
    notOverHttp('Replaying at a pace (--per-second, --canary, --stop-at-failure-rate)')
}
