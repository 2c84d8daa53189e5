/**
 * Submissions in a conversation: those with a key and those inside a user's own transaction. What becomes of the keys is
 * decided first (key-taking.ts), and only what is new is inserted.
 */
import { invariant, PunctualError } from '@punctual/core/errors'
import type { SubmitOutcome } from '@punctual/core/submit'
import type pg from 'pg'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import type { Queryable } from '../connection/queryable.ts'
import type { Signals } from '../connection/signals.ts'
import { type KeyGroup, keyRounds, outcomeAfter } from './key-batch.ts'
import { KeyReplacing } from './key-replacing.ts'
import { type Decision, KeyTaking } from './key-taking.ts'
import type { Prepared, Submitter } from './submitter.ts'

export interface Accepted {
  readonly id: string
  /** False when a run with the same key was there already, and its id is returned. */
  readonly created: boolean
  readonly outcome: SubmitOutcome
}

/** What was submitted in a transaction that somebody else commits. */
export interface SubmittedIn {
  readonly accepted: readonly Accepted[]
  /** Gates that replaced runs had been let through: others may be, once it has committed. */
  readonly freedGates: readonly bigint[]
}

interface Call {
  readonly tx: Queryable
  readonly tenantId: number
  /** Whether the hint goes with the commit of whoever owns the transaction. */
  readonly notify: boolean
  /** Whether an earlier try may have been committed. */
  readonly again: boolean
}

/** Longer than the wait for a key: whoever does not answer by then is not there. */
const ANSWER_MS = 12_000

/** A connection that answers nothing is given up; without this a call would wait for it for ever. */
function timed(client: pg.Client): Queryable {
  return {
    query: (text, values) =>
      client.query({ text, ...(values && { values }), query_timeout: ANSWER_MS } as pg.QueryConfig),
  }
}

export class KeyedSubmitter {
  readonly #database: Database
  readonly #submitter: Submitter
  readonly #signals: Signals
  readonly #clientPool: ClientPool
  readonly #keys: KeyTaking

  constructor(database: Database, clientPool: ClientPool, submitter: Submitter, signals: Signals) {
    this.#database = database
    this.#clientPool = clientPool
    this.#submitter = submitter
    this.#signals = signals
    this.#keys = new KeyTaking(database, new KeyReplacing(database, submitter.horizonMs))
  }

  /** In a transaction of our own. */
  async submit(
    runs: readonly Prepared[],
    tenantId: number,
    again: boolean,
  ): Promise<readonly Accepted[]> {
    const { accepted, lanes, freedGates } = await this.#clientPool.transaction(
      async (client) => {
        const tx = timed(client)
        await tx.query("set local lock_timeout = '5s'")
        const known = await this.#submitter.current(runs)
        const done = await this.#submitIn({ tx, tenantId, notify: false, again }, known)
        return { ...done, lanes: new Set(known.map((run) => run.lane)) }
      },
      { answerMs: ANSWER_MS },
    )
    this.#signals.due(lanes)
    void this.#database.transactions.afterCommit(() => this.#submitter.committed(runs, freedGates))
    return accepted
  }

  /**
   * In a transaction that somebody else commits or rolls back. The hint goes with its commit, and tells of gates that were
   * freed; whoever does not want it looks after these when it has committed.
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
    const told: Prepared[] = []
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
        if (decision.outcome === 'replaced') told.push(group.by)
      }
      await this.#insert(call, round.length > 0 ? inOrder(made, runs) : made)
      told.push(...made)
    }
    if (call.notify && told.length > 0) await this.#hint(call, told, freedGates)
    return { accepted: runs.map((run) => answers.get(run) as Accepted), freedGates }
  }

  /** The window of a debounced run begins when the key is its own, for which it may have waited. */
  #debounced(run: Prepared): Prepared {
    const { conflict } = run.submission.options
    if (conflict?.mode !== 'debounce') return run
    return { ...run, dueMs: Math.round(this.#database.clock.nowMs() + conflict.windowMs) }
  }

  async #insert({ tx, again, notify }: Call, made: readonly Prepared[]): Promise<void> {
    if (made.length === 0) return
    for (const { statement, values } of this.#submitter.inserts(made, again, !notify))
      await tx.query(statement.text, values as unknown[])
  }

  /** On somebody else's connection, whose server we have not met. */
  async #hint(
    { tx, tenantId }: Call,
    created: readonly Prepared[],
    freedGates: readonly bigint[],
  ): Promise<void> {
    const lanes = new Map(created.map(({ lane, submission }) => [lane, submission.options]))
    const options = [...lanes.values()]
    const payload = this.#signals.payloadFor(lanes.keys(), freedGates)
    const { rows } = await tx.query(this.#database.statement('submit/hint-lanes').text, [
      ...[this.#signals.channelName, payload, tenantId],
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

  /** What an earlier try has committed. It may have ended by now, and must not take its key again. */
  async #answered(tx: Queryable, runs: readonly Prepared[]): Promise<Answers> {
    const statement = this.#database.statement('submit/find-runs')
    const { rows } = await tx.query(statement.text, [runs.map(({ id }) => id)])
    const there = new Set((rows as { id: string }[]).map(({ id }) => id))
    const made = runs.filter(({ id }) => there.has(id))
    const keys = new Map(made.map((run) => [run.submission.options.key, run.id]))
    const answers = new Answers()
    for (const run of runs) {
      const { key } = run.submission.options
      const id = there.has(run.id) ? run.id : key === null ? undefined : keys.get(key)
      if (id === undefined) continue
      answers.set(run, answer(id, id === run.id ? 'created' : outcomeAfter(run)))
    }
    return answers
  }
}

class Answers extends Map<Prepared, Accepted> {}

function answer(id: string, outcome: SubmitOutcome): Accepted {
  return { id, created: outcome === 'created', outcome }
}

function answerAll(group: KeyGroup, { id, outcome }: Decision, answers: Answers): void {
  for (const [i, run] of group.runs.entries())
    answers.set(run, answer(id, i === 0 ? outcome : outcomeAfter(run)))
}

/** As they stand in the batch. */
function inOrder(made: readonly Prepared[], runs: readonly Prepared[]): readonly Prepared[] {
  if (made.length < 2) return made
  const places = new Map(runs.map(({ id }, i) => [id, i]))
  return made.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
}
