/**
 * What people do with dead letters: replay, discard. Each is handled once: its row is locked, looked at and closed in
 * one transaction, together with the run that follows, so that of two that want the same one waits and then finds it
 * handled. Whether a commit took place whose answer was lost is told by the letter, which names its replay.
 */
import { type DeadLetter, handlings } from '@punctual/core/dead-letter'
import type pg from 'pg'
import { uuidArray, uuidArrayOrNull } from '../connection/binary-arrays.ts'
import type { DeadLetterReader } from './reader.ts'
import type { Replay, Replays } from './replays.ts'

/** Why and by whom; kept with what is handled. */
export interface HandledBy {
  readonly note: string | null
  readonly by: string | null
}

export interface ReplayRequest {
  /** The dead run. */
  readonly id: string
  /** Another payload, as JSON; null = its own. */
  readonly payload: string | null
}

/** A live run has the key that the new run needs, so that none was made. */
export interface KeyBusy {
  /** Tells it from the other answers. */
  readonly result: 'key_busy'
  /** The key. */
  readonly key: string
  /** The run that has it; null when that one has just ended. */
  readonly heldBy: string | null
}

export type ReplayAnswer =
  | { readonly result: 'replayed'; readonly id: string }
  | { readonly result: 'already_handled'; readonly handled: NonNullable<DeadLetter['handled']> }
  | KeyBusy
  | { readonly result: 'not_found' }

interface LockedDeadLetter {
  readonly id: string
  /** Whether its run is still there. */
  readonly found: boolean
  readonly key: string | null
}

export class DeadLetterSteering {
  readonly #replays: Replays
  readonly #reader: DeadLetterReader

  constructor(replays: Replays, reader: DeadLetterReader) {
    this.#replays = replays
    this.#reader = reader
  }

  /** Makes new runs of dead ones, due now, all of these in one transaction. Answers in the order asked. */
  async replay(
    requests: readonly ReplayRequest[],
    options: HandledBy & { readonly fromCheckpoint: boolean },
    tenantId: number,
  ): Promise<ReplayAnswer[]> {
    await this.#replays.checkActive(tenantId)
    const asked = new Map(
      requests.map(({ id, payload }) => [id, { id, payload, newId: this.#replays.newId() }]),
    )
    const { locked, made, lanes } = await this.#replays.transaction(async (client) => {
      const open = await this.#lock(client, [...asked.keys()], tenantId)
      const wanted = open.flatMap(({ id, found, key }) => {
        const request = asked.get(id)
        return request && found ? [{ ...request, key }] : []
      })
      const free = await this.#replays.takeKeys(client, wanted, tenantId)
      await this.#close(client, free, handlings.replayed, options, tenantId)
      const queued = await this.#replays.insert(client, free, options)
      return { locked: open, made: new Set(free.map(({ newId }) => newId)), lanes: queued }
    })
    this.#replays.queued(lanes)
    const left = [...asked.values()].filter(({ newId }) => !made.has(newId)).map(({ id }) => id)
    const now = left.length > 0 ? await this.#reader.find(left, tenantId) : []
    return Promise.all(
      requests.map(({ id }): Promise<ReplayAnswer> | ReplayAnswer => {
        const newId = asked.get(id)?.newId as string
        const handled = now.find((letter) => letter.id === id)?.handled ?? null
        if (made.has(newId) || handled?.replayedAs === newId)
          return { result: 'replayed', id: newId }
        if (handled) return { result: 'already_handled', handled }
        const key = locked.find((letter) => letter.id === id && letter.found)?.key
        return key ? this.#busy(key, tenantId) : { result: 'not_found' }
      }),
    )
  }

  /** Closes dead letters without doing them again; returns those that were open. */
  async discard(
    ids: readonly string[],
    options: HandledBy,
    tenantId: number,
  ): Promise<ReadonlySet<string>> {
    return this.#replays.transaction(async (client, again) => {
      const locked = await this.#lock(client, ids, tenantId)
      const letters = locked.map(({ id }) => ({ id, newId: null }))
      await this.#close(client, letters, handlings.discarded, options, tenantId)
      const before = again ? await this.#discardedSo(ids, options, tenantId) : []
      return new Set([...locked.map(({ id }) => id), ...before])
    })
  }

  /** Those that an earlier try of the same call has discarded, though its answer was lost: they say the same. */
  async #discardedSo(ids: readonly string[], { note, by }: HandledBy, tenantId: number) {
    const letters = await this.#reader.find(ids, tenantId)
    const same = letters.filter(
      ({ handled: it }) => it?.as === 'discarded' && it.note === note && it.by === by,
    )
    return same.map(({ id }) => id)
  }

  async #lock(client: pg.Client, ids: readonly string[], tenantId: number) {
    const rows = await this.#replays.run(client, 'dead-letters/lock-letters', [
      tenantId,
      uuidArray(ids),
    ])
    return rows.map(
      ([id, found, key]): LockedDeadLetter => ({
        id: id as string,
        found: found === 't',
        key: key ?? null,
      }),
    )
  }

  async #close(
    client: pg.Client,
    letters: readonly (Pick<Replay, 'id'> & { readonly newId: string | null })[],
    handling: number,
    { note, by }: HandledBy,
    tenantId: number,
  ): Promise<void> {
    if (letters.length === 0) return
    const ids = uuidArray(letters.map(({ id }) => id))
    const replays = uuidArrayOrNull(letters.map(({ newId }) => newId))
    const values = [tenantId, ids, handling, replays, note, by]
    await this.#replays.run(client, 'dead-letters/close-letters', values)
  }

  async #busy(key: string, tenantId: number): Promise<KeyBusy> {
    return { result: 'key_busy', key, heldBy: await this.#replays.holderOf(key, tenantId) }
  }
}
