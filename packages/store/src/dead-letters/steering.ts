/**
 * Actions on dead letters: replay and discard. Each dead letter is handled once: one transaction
 * locks it, checks it and closes it, together with the replay's insert, so that of two callers that
 * want the same one the second waits and finds it handled. After a commit whose answer was lost,
 * the dead letter shows whether it took place: it names its replay.
 */
import { type DeadLetter, handlings } from '@punctual/core/dead-letter'
import type { KeyBusy } from '@punctual/core/run'
import type pg from 'pg'
import { uuidArray, uuidArrayOrNull } from '../connection/binary-arrays.ts'
import type { OpenTransaction } from '../connection/open-transaction.ts'
import type { DeadLetterReader } from './reader.ts'
import type { Replay, Replays } from './replays.ts'
import { closeLetters, lockLetters } from './statements.gen.ts'

/** The reason and the author, stored with the handled dead letter. */
export interface HandledBy {
  readonly note: string | null
  readonly by: string | null
}

export interface ReplayRequest {
  /** The dead run. */
  readonly id: string
  /** Another payload, as JSON; null keeps the original one. */
  readonly payload: string | null
}

export type ReplayAnswer =
  | { readonly result: 'replayed'; readonly id: string }
  | { readonly result: 'already_handled'; readonly handled: NonNullable<DeadLetter['handled']> }
  | KeyBusy
  | { readonly result: 'not_found' }

export class DeadLetterSteering {
  readonly #replays: Replays
  readonly #reader: DeadLetterReader

  constructor(replays: Replays, reader: DeadLetterReader) {
    this.#replays = replays
    this.#reader = reader
  }

  /** Creates new runs for dead ones, due now, in one transaction; answers in the order given. */
  async replay(
    requests: readonly ReplayRequest[],
    options: HandledBy & { readonly fromCheckpoint: boolean },
    tenantId: number,
    transaction: OpenTransaction | null,
  ): Promise<ReplayAnswer[]> {
    await this.#replays.checkActive(tenantId)
    for (const [i, { payload }] of requests.entries()) {
      const at = requests.length === 1 ? '' : `[${i}].`
      if (payload !== null) await this.#replays.checkPayload(tenantId, payload, `${at}payload`)
    }
    const wantedById = new Map(
      requests.map(({ id, payload }) => [id, { id, payload, newId: this.#replays.newId() }]),
    )
    const { locked, made, lanes } = await this.#replays.join(transaction, async (client) => {
      const open = await this.#lock(client, [...wantedById.keys()], tenantId)
      const wanted = open.flatMap(({ runId, found, key }) => {
        const request = wantedById.get(runId)
        return request && found ? [{ ...request, key }] : []
      })
      const free = await this.#replays.takeKeys(client, wanted, tenantId)
      await this.#close(client, free, handlings.replayed, options, tenantId)
      const queued = await this.#replays.insert(client, free, options)
      return { locked: open, made: new Set(free.map(({ newId }) => newId)), lanes: queued }
    })
    this.#replays.announce(transaction, lanes)
    const left = [...wantedById.values()]
      .filter(({ newId }) => !made.has(newId))
      .map(({ id }) => id)
    const now = left.length > 0 ? await this.#reader.find(left, tenantId) : []
    return Promise.all(
      requests.map(({ id }): Promise<ReplayAnswer> | ReplayAnswer => {
        const newId = wantedById.get(id)?.newId
        const handled = now.find((deadLetter) => deadLetter.id === id)?.handled ?? null
        if (newId !== undefined && (made.has(newId) || handled?.replayedAs === newId))
          return { result: 'replayed', id: newId }
        if (handled) return { result: 'already_handled', handled }
        const key = locked.find(({ runId, found }) => runId === id && found)?.key
        return key ? this.#busy(key, tenantId) : { result: 'not_found' }
      }),
    )
  }

  /** Closes dead letters without replaying them; returns the ids that were open. */
  async discard(
    ids: readonly string[],
    options: HandledBy,
    tenantId: number,
    transaction: OpenTransaction | null,
  ): Promise<ReadonlySet<string>> {
    return this.#replays.join(transaction, async (client, again) => {
      const locked = await this.#lock(client, ids, tenantId)
      const closed = locked.map(({ runId }) => ({ id: runId, newId: null }))
      await this.#close(client, closed, handlings.discarded, options, tenantId)
      const before = again ? await this.#discardedSo(ids, options, tenantId) : []
      return new Set([...locked.map(({ runId }) => runId), ...before])
    })
  }

  /** Finds dead letters that an earlier try of this call discarded: same author, same note. */
  async #discardedSo(ids: readonly string[], { note, by }: HandledBy, tenantId: number) {
    const deadLetters = await this.#reader.find(ids, tenantId)
    const same = deadLetters.filter(
      ({ handled }) => handled?.as === 'discarded' && handled.note === note && handled.by === by,
    )
    return same.map(({ id }) => id)
  }

  #lock(client: pg.Client, ids: readonly string[], tenantId: number) {
    return this.#replays.run(client, lockLetters(tenantId, uuidArray(ids)))
  }

  async #close(
    client: pg.Client,
    closed: readonly (Pick<Replay, 'id'> & { readonly newId: string | null })[],
    handling: number,
    { note, by }: HandledBy,
    tenantId: number,
  ): Promise<void> {
    if (closed.length === 0) return
    const ids = uuidArray(closed.map(({ id }) => id))
    const replays = uuidArrayOrNull(closed.map(({ newId }) => newId))
    await this.#replays.run(client, closeLetters(tenantId, ids, handling, replays, note, by))
  }

  async #busy(key: string, tenantId: number): Promise<KeyBusy> {
    return { result: 'key_busy', key, heldBy: await this.#replays.holderOf(key, tenantId) }
  }
}
