/**
 * Submissions that need a transaction of several round trips: runs with keys, and runs inside a
 * user's transaction. Decides the keys first (key-taking.ts), and inserts only new runs.
 */
import { invariant, PunctualError } from '@punctual/core/errors'
import type { SubmitOutcome } from '@punctual/core/submit'
import type pg from 'pg'
import { int2Array, int4Array } from '../connection/binary-arrays.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import type { OpenTransaction } from '../connection/open-transaction.ts'
import type { Queryable } from '../connection/queryable.ts'
import type { Signals } from '../connection/signals.ts'
import { type KeyGroup, keyRounds, outcomeAfter } from './key-batch.ts'
import { KeyReplacing } from './key-replacing.ts'
import { type Decision, KeyTaking } from './key-taking.ts'
import type { Prepared } from './prepared.ts'
import { findRuns, hintLanes } from './statements.gen.ts'
import type { Submitter } from './submitter.ts'

export interface Accepted {
  readonly id: string
  /** False when a run with the same key already existed; its id is returned. */
  readonly created: boolean
  readonly outcome: SubmitOutcome
}

/** The result of submitting within a transaction that the caller commits. */
export interface SubmittedIn {
  readonly accepted: readonly Accepted[]
  /** Gates that replaced runs had been admitted to: others may be admitted after the commit. */
  readonly freedGates: readonly bigint[]
}

interface Call {
  readonly tx: Queryable
  readonly tenantId: number
  /** Whether the hint goes out with the commit of the caller's transaction. */
  readonly notify: boolean
  /** Whether an earlier try may have been committed. */
  readonly again: boolean
}

/** How a submission with keys is written. */
export interface KeyedSubmission {
  readonly tenantId: number
  /** Whether an earlier try may have been committed. */
  readonly again: boolean
  readonly transaction: OpenTransaction | null
}

/** Longer than the wait for a key: after that the connection counts as dead. */
const ANSWER_MS = 12_000

/** Gives up a connection that does not answer; without a timeout a call would wait forever. */
function timed(client: pg.Client): Queryable {
  return {
    query: (text, values) =>
      client.query({ text, ...(values && { values }), query_timeout: ANSWER_MS }),
  }
}

export interface KeyedSubmitterOptions {
  readonly database: Database
  readonly clientPool: ClientPool
  readonly submitter: Submitter
  readonly signals: Signals
}

export class KeyedSubmitter {
  readonly #database: Database
  readonly #submitter: Submitter
  readonly #signals: Signals
  readonly #clientPool: ClientPool
  readonly #keys: KeyTaking

  constructor({ database, clientPool, submitter, signals }: KeyedSubmitterOptions) {
    this.#database = database
    this.#clientPool = clientPool
    this.#submitter = submitter
    this.#signals = signals
    this.#keys = new KeyTaking(database, new KeyReplacing(database, submitter.horizonMs))
  }

  /** Submits in a part of the given transaction, or with null in a separate one. */
  async submit(
    runs: readonly Prepared[],
    { tenantId, again, transaction }: KeyedSubmission,
  ): Promise<readonly Accepted[]> {
    const { accepted, known, freedGates } = await this.#clientPool.join(
      transaction,
      async (client) => {
        const tx = timed(client)
        await tx.query("set local lock_timeout = '5s'")
        const known = await this.#submitter.current(runs)
        const done = await this.#submitIn({ tx, tenantId, notify: false, again }, known)
        return { ...done, known }
      },
      { answerMs: ANSWER_MS },
    )
    this.#submitter.announce(transaction, known, freedGates)
    return accepted
  }

  /**
   * Submits in a transaction that the caller commits or rolls back. The hint goes out with its
   * commit and names freed gates; with `notify` false the caller releases these after the commit.
   */
  submitIn(
    tx: Queryable,
    runs: readonly Prepared[],
    tenantId: number,
    notify = true,
  ): Promise<SubmittedIn> {
    return this.#submitIn({ tx, tenantId, notify, again: false }, runs)
  }

  async #submitIn(call: Call, runs: readonly Prepared[]): Promise<SubmittedIn> {
    const answers = call.again ? await this.#answered(call.tx, runs) : new Answers()
    const open = runs.filter((run) => !answers.has(run))
    const keyless = open.filter((run) => run.submission.options.key === null)
    for (const run of keyless) answers.set(run, answer(run.id, 'created'))
    const rounds = keyRounds(open)
    const freedGates: bigint[] = []
    const hinted: Prepared[] = []
    for (const [n, round] of (rounds.length > 0 ? rounds : [[]]).entries()) {
      const bys = round.map(({ by }) => by)
      const decided = await this.#keys.decide(call.tx, bys, call.tenantId, call.again)
      freedGates.push(...decided.freedGates)
      const made = n === 0 ? [...keyless] : []
      for (const group of round) {
        const decision = decided.decisions.get(group.key)
        invariant(decision, 'every key is decided')
        answerAll(group, decision, answers)
        if (decision.outcome === 'created') made.push(this.#debounced(group.by))
        if (decision.outcome === 'replaced') hinted.push(group.by)
      }
      await this.#insert(call, round.length > 0 ? inOrder(made, runs) : made)
      hinted.push(...made)
    }
    if (call.notify && hinted.length > 0) await this.#hint(call, hinted, freedGates)
    return { accepted: runs.map((run) => answers.of(run)), freedGates }
  }

  /** The window of a debounced run starts once it holds the key, for which it may have waited. */
  #debounced(run: Prepared): Prepared {
    const { conflict } = run.submission.options
    if (conflict?.mode !== 'debounce') return run
    return { ...run, dueMs: Math.round(this.#database.clock.nowMs() + conflict.windowMs) }
  }

  async #insert({ tx, again, notify }: Call, made: readonly Prepared[]): Promise<void> {
    if (made.length === 0) return
    for (const call of this.#submitter.inserts(made, again, !notify))
      await this.#database.runIn(tx, call)
  }

  /** Sends the hint on the caller's connection, to a server that this process has not checked. */
  async #hint(
    { tx, tenantId }: Call,
    created: readonly Prepared[],
    freedGates: readonly bigint[],
  ): Promise<void> {
    const lanes = new Map(created.map(({ lane, submission }) => [lane, submission.options]))
    const options = [...lanes.values()]
    const payload = this.#signals.payloadFor(lanes.keys(), freedGates)
    const [row] = await this.#database.runIn(
      tx,
      hintLanes(
        this.#signals.channelName,
        payload,
        tenantId,
        int4Array([...lanes.keys()]),
        options.map(({ queue }) => queue),
        options.map(({ handler }) => handler),
        int2Array(options.map(({ priority }) => priority)),
      ),
    )
    if (row?.known === lanes.size) return
    // A lane is gone, or was created after the transaction took its snapshot.
    const now = await this.#submitter.lookAgain(created)
    if (now.every(({ lane }, i) => lane === created[i]?.lane)) return
    throw new PunctualError(
      'database_unavailable',
      'PostgreSQL has failed over and lost the lanes of these runs. Roll back the transaction and try again.',
    )
  }

  /** Finds runs that an earlier try committed: one may have ended, and must not retake its key. */
  async #answered(tx: Queryable, runs: readonly Prepared[]): Promise<Answers> {
    const rows = await this.#database.runIn(tx, findRuns(runs.map(({ id }) => id)))
    const existing = new Set(rows.map(({ id }) => id))
    const made = runs.filter(({ id }) => existing.has(id))
    const keys = new Map(made.map((run) => [run.submission.options.key, run.id]))
    const answers = new Answers()
    for (const run of runs) {
      const { key } = run.submission.options
      const id = existing.has(run.id) ? run.id : key === null ? undefined : keys.get(key)
      if (id === undefined) continue
      answers.set(run, answer(id, id === run.id ? 'created' : outcomeAfter(run)))
    }
    return answers
  }
}

class Answers extends Map<Prepared, Accepted> {
  of(run: Prepared): Accepted {
    const accepted = this.get(run)
    invariant(accepted, 'every submission is answered')
    return accepted
  }
}

function answer(id: string, outcome: SubmitOutcome): Accepted {
  return { id, created: outcome === 'created', outcome }
}

function answerAll(group: KeyGroup, { id, outcome }: Decision, answers: Answers): void {
  for (const [i, run] of group.runs.entries())
    answers.set(run, answer(id, i === 0 ? outcome : outcomeAfter(run)))
}

/** Sorts them as in the batch. */
function inOrder(made: readonly Prepared[], runs: readonly Prepared[]): readonly Prepared[] {
  if (made.length < 2) return made
  const places = new Map(runs.map(({ id }, i) => [id, i]))
  return made.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
}
