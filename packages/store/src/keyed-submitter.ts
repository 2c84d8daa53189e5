/**
 * Submissions in a conversation: those with a key (one live run per key) and those inside a user's own
 * transaction. Keys are taken first, sorted, in a statement of their own, and only what got its key is
 * inserted. When the holder of a key ends between our two looks we look again, a bounded number of times.
 */
import { invariant, PunctualError } from '@punctual/core'
import type pg from 'pg'
import type { Conversations } from './conversations.ts'
import type { Database } from './database.ts'
import { isLockTimeout } from './faults.ts'
import type { Signals } from './signals.ts'
import type { Prepared, Submitter } from './submitter.ts'

/** A client of `pg` inside of a transaction. Batches travel as binary parameters, which `pg` makes of Buffers. */
export interface Queryable {
  /** Runs one statement in the transaction. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

export interface Accepted {
  readonly id: string
  /** False when a live run with the same key was there already, and its id is returned. */
  readonly created: boolean
}

const TRIES = 10
/** Longer than the wait for a key: whoever does not answer by then is not there. */
const ANSWER_MS = 12_000

/** A connection that answers nothing is given up; without this a call would wait for it for ever. */
function timed(client: pg.Client): Queryable {
  return {
    query: (text, values) =>
      client.query({ text, ...(values && { values }), query_timeout: ANSWER_MS } as pg.QueryConfig),
  }
}

function rowsOf(result: { rows: unknown[] }): { key: string; run_id: string }[] {
  return result.rows as { key: string; run_id: string }[]
}

export class KeyedSubmitter {
  readonly #database: Database
  readonly #submitter: Submitter
  readonly #signals: Signals
  readonly #conversations: Conversations

  constructor(
    database: Database,
    conversations: Conversations,
    submitter: Submitter,
    signals: Signals,
  ) {
    this.#database = database
    this.#conversations = conversations
    this.#submitter = submitter
    this.#signals = signals
  }

  /** In a transaction of our own. */
  async submit(runs: readonly Prepared[], tenantId: number, again: boolean): Promise<Accepted[]> {
    const { accepted, lanes } = await this.#conversations.with(async (client) => {
      const tx = timed(client)
      await tx.query('begin isolation level read committed')
      await tx.query("set local lock_timeout = '5s'")
      const known = await this.#submitter.current(runs)
      const accepted = await this.submitIn(tx, known, tenantId, { notify: false, again })
      await tx.query('commit')
      return { accepted, lanes: new Set(known.map((run) => run.lane)) }
    })
    this.#signals.due(lanes)
    this.#submitter.committed(runs)
    return accepted
  }

  /** In a transaction that somebody else commits or rolls back; the hint goes with its commit. */
  async submitIn(
    tx: Queryable,
    runs: readonly Prepared[],
    tenantId: number,
    { notify = true, again = false } = {},
  ): Promise<Accepted[]> {
    // What an earlier try has committed may have ended by now, and must not take its key again.
    const there = again ? await this.#existing(tx, runs) : new Map<string, string | null>()
    const keysThere = new Map([...there].map(([id, key]) => [key, id]))
    const open = runs.filter((run) => !keysThere.has(run.submission.options.key))
    const holders = await this.#takeKeys(tx, open, tenantId)
    const accepted = runs.map((run) => {
      const { key } = run.submission.options
      const id = key === null ? run.id : (keysThere.get(key) ?? holders.get(key))
      invariant(id !== undefined, 'every key has a holder')
      return { id, created: id === run.id }
    })
    const created = runs.filter((run, i) => accepted[i]?.created && !there.has(run.id))
    if (created.length > 0)
      for (const { statement, values } of this.#submitter.inserts(created, again, !notify))
        await tx.query(statement.text, values as unknown[])
    if (notify && created.length > 0) await this.#hint(tx, created, tenantId)
    return accepted
  }

  /** On somebody else's connection, whose server we have not met. */
  async #hint(tx: Queryable, created: readonly Prepared[], tenantId: number): Promise<void> {
    const lanes = new Map(created.map(({ lane, submission }) => [lane, submission.options]))
    const options = [...lanes.values()]
    const { rows } = await tx.query(this.#database.statement('submit/hint-lanes').text, [
      ...[this.#signals.channelName, this.#signals.payloadFor(new Set(lanes.keys())), tenantId],
      ...[[...lanes.keys()], options.map(({ queue }) => queue)],
      ...[options.map(({ handler }) => handler), options.map(({ priority }) => priority)],
    ])
    if (Number((rows as { known: unknown }[])[0]?.known) === lanes.size) return
    // Gone, or made after the transaction took its snapshot.
    const now = await this.#submitter.lookAgain(created)
    if (now.every(({ lane }, i) => lane === created[i]?.lane)) return
    throw new PunctualError(
      'database_unavailable',
      'PostgreSQL has failed over, and lost what these runs refer to. Roll the transaction back and try again.',
    )
  }

  /** Those of these runs that are there, with their keys. */
  async #existing(tx: Queryable, runs: readonly Prepared[]): Promise<Map<string, string | null>> {
    const statement = this.#database.statement('submit/find-runs')
    const { rows } = await tx.query(statement.text, [runs.map(({ id }) => id)])
    const found = rows as { id: string; key: string | null }[]
    return new Map(found.map(({ id, key }) => [id, key]))
  }

  /** Key by key, who holds it now: one of these runs, or one that was there before. */
  async #takeKeys(
    tx: Queryable,
    runs: readonly Prepared[],
    tenantId: number,
  ): Promise<Map<string, string>> {
    const wanted = new Map<string, string>()
    for (const run of runs) {
      const { key } = run.submission.options
      if (key !== null && !wanted.has(key)) wanted.set(key, run.id)
    }
    const holders = new Map<string, string>()
    for (let attempt = 0; wanted.size > 0 && attempt < TRIES; attempt++) {
      const keys = [...wanted.keys()].sort()
      const ids = keys.map((key) => wanted.get(key) as string)
      try {
        const taken = await tx.query(this.#database.statement('submit/take-keys').text, [
          tenantId,
          keys,
          ids,
        ])
        const left = new Set(keys)
        for (const row of rowsOf(taken)) {
          holders.set(row.key, row.run_id)
          left.delete(row.key)
        }
        if (left.size > 0) {
          const found = await tx.query(this.#database.statement('submit/find-keys').text, [
            tenantId,
            [...left],
          ])
          for (const row of rowsOf(found)) holders.set(row.key, row.run_id)
        }
      } catch (cause) {
        if (!isLockTimeout(cause)) throw cause
        throw new PunctualError(
          'key_busy',
          'Another open transaction is submitting the same key. Try again when it has ended.',
          { field: 'key', cause },
        )
      }
      for (const key of holders.keys()) wanted.delete(key)
    }
    if (wanted.size > 0)
      throw new PunctualError(
        'key_busy',
        'The key changes hands faster than it can be read. Try again.',
        { field: 'key' },
      )
    return holders
  }
}
