/** Dead letters of a server, behind the interface of the library. */
import { type Client, PunctualHttpError } from '@punctual/client'
import type {
  DeadLetter,
  DeadLetterCause,
  DeadLetterDetails,
  DeadLetterFilter,
  DeadLetterHandling,
} from '@punctual/core/dead-letter'
import { limits } from '@punctual/core/errors'
import type { ManyOptions, ReplayManyOptions } from '../../../dead-letters/replay-many.ts'
import { idOf } from '../../../runs/reference.ts'
import type { Operator } from '../../runtime/operator.ts'
import { libraryNames, wireNames } from './library-names.ts'
import { notOverHttp } from './not-over-http.ts'
import { nullWhenMissing } from './null-when-missing.ts'

type DeadLetters = Operator['deadLetters']

export function remoteDeadLetters(client: Client): DeadLetters {
  return { ...one(client), ...several(client) }
}

function one({ deadLetters }: Client): Pick<DeadLetters, 'get' | 'replay' | 'discard'> {
  const handled = (error: unknown) =>
    error instanceof PunctualHttpError && error.code === 'already_handled'
  return {
    async get(deadLetter) {
      const found = await nullWhenMissing(deadLetters.get(idOf(deadLetter)))
      return libraryNames(found) as DeadLetterDetails | null
    },
    // The API key identifies the caller, so `by` is not sent.
    async replay(deadLetter, { payload, fromCheckpoint, note } = {}) {
      const id = idOf(deadLetter)
      try {
        const replayed = await deadLetters.replay(id, {
          payload,
          from_checkpoint: fromCheckpoint,
          note,
        })
        return { result: 'replayed', id: replayed.run_id }
      } catch (error) {
        if (!handled(error)) throw error
        const before = libraryNames((await deadLetters.get(id)).handled) as DeadLetterHandling
        return { result: 'already_handled', handled: before }
      }
    },
    async discard(deadLetter, { reason }) {
      const answer = deadLetters.discard(idOf(deadLetter), { reason })
      try {
        return (await answer).result
      } catch (error) {
        if (handled(error)) return 'already_handled'
        throw error
      }
    },
  }
}

function several({ deadLetters }: Client): Omit<DeadLetters, 'get' | 'replay' | 'discard'> {
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
  const at = (instant: DeadLetterFilter['diedFrom']) =>
    instant === undefined ? undefined : new Date(instant).toISOString()
  return { ...(wireNames(words) as object), died_from: at(diedFrom), died_before: at(diedBefore) }
}

function manyOf(filter: DeadLetterFilter, { all, dryRun, limit }: ManyOptions) {
  if (limit !== undefined && limit > limits.batchSize)
    notOverHttp(`--limit above ${limits.batchSize}`)
  return { filter: wireFilter(filter), all, dry_run: dryRun, limit: limit ?? limits.batchSize }
}

/** Refuses pacing: the API replays at full speed. */
function refusePace({ perSecond, canary, stopAtFailureRate, minEnded }: ReplayManyOptions): void {
  const paces = { perSecond, canary, stopAtFailureRate, minEnded }
  if (Object.values(paces).some((value) => value !== undefined))
    notOverHttp('Pacing a replay (--per-second, --canary, --stop-at-failure-rate)')
}
