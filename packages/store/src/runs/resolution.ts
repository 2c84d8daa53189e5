/**
 * Resolves an unknown run, once: one guarded statement changes the outcome, in the same transaction
 * as the dead letter or the new run that follows from it.
 */
import { type KeyBusy, type Resolution, resolutions } from '@punctual/core/run'
import type { OpenTransaction } from '../connection/open-transaction.ts'
import type { Replays } from '../dead-letters/replays.ts'
import type { HandledBy } from '../dead-letters/steering.ts'
import type { RunReader } from './reader.ts'
import { resolveRun } from './statements.gen.ts'

export type ResolveAnswer =
  | { readonly result: 'resolved'; readonly replayedAs: string | null }
  | { readonly result: 'not_unknown' }
  | KeyBusy

interface Resolving extends HandledBy {
  readonly id: string
  readonly as: Resolution
  /** The id of the new run; null when the run does not run again. */
  readonly newId: string | null
  readonly tenantId: number
  readonly transaction: OpenTransaction | null
}

/** Rolls back a resolution whose new run cannot have its key. */
class KeyIsHeld extends Error {
  readonly key: string

  constructor(key: string) {
    super('a live run has the key')
    this.key = key
  }
}

export class RunResolution {
  readonly #replays: Replays
  readonly #runs: RunReader

  constructor(replays: Replays, runs: RunReader) {
    this.#replays = replays
    this.#runs = runs
  }

  async resolve(
    id: string,
    as: Resolution,
    options: HandledBy,
    tenantId: number,
    transaction: OpenTransaction | null,
  ): Promise<ResolveAnswer> {
    if (as === 'run-again') await this.#replays.checkActive(tenantId)
    const newId = as === 'run-again' ? this.#replays.newId() : null
    try {
      const resolving = { id, as, newId, ...options, tenantId, transaction }
      if (!(await this.#resolve(resolving))) return { result: 'not_unknown' }
      return { result: 'resolved', replayedAs: newId }
    } catch (error) {
      if (!(error instanceof KeyIsHeld)) throw error
      const { key } = error
      return { result: 'key_busy', key, heldBy: await this.#replays.holderOf(key, tenantId) }
    }
  }

  async #resolve(resolving: Resolving): Promise<boolean> {
    const { id, as, newId, note, by, tenantId, transaction } = resolving
    const done = await this.#replays.join(transaction, async (client, again) => {
      const call = resolveRun(id, tenantId, resolutions[as], newId, note, by)
      const [row] = await this.#replays.run(client, call)
      if (!row) return { ours: again ? await this.#isOurs(id, as, newId) : false, lanes: [] }
      if (newId === null) return { ours: true, lanes: [] }
      const { key } = row
      const free = await this.#replays.takeKeys(
        client,
        [{ id, newId, payload: null, key }],
        tenantId,
      )
      if (free.length === 0 && key !== null) throw new KeyIsHeld(key)
      const lanes = await this.#replays.insert(client, free, { by, fromCheckpoint: false })
      return { ours: true, lanes }
    })
    this.#replays.announce(transaction, done.lanes)
    return done.ours
  }

  /** Whether an earlier try of this call was committed although its answer was lost. */
  async #isOurs(id: string, as: Resolution, newId: string | null): Promise<boolean> {
    const run = await this.#runs.find(id)
    if (!run || !('resolved' in run) || run.resolved === null) return false
    return run.resolved.as === as && run.replayedAs === newId
  }
}
