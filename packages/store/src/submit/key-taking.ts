/**
 * Decides the outcome of submissions with keys, each key once. Takes the keys first, sorted, in a
 * separate statement. When the holder of a key ends or moves between two queries, it looks again, a
 * limited number of times.
 *
 * Submissions that have a window, replace or debounce take turns at their key, through a lock on a
 * row that nothing else locks: settling, cancelling or claiming the holder never waits for them,
 * nor for what they wait for.
 */
import { invariant, PunctualError } from '@punctual/core/errors'
import type { SubmitOutcome } from '@punctual/core/submit'
import { int8ArrayOfNumbers, uuidArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { isLockTimeout } from '../connection/faults.ts'
import type { Queryable } from '../connection/queryable.ts'
import type { Call } from '../sql/typed.ts'
import { changes } from './key-batch.ts'
import type { KeyReplacing, Replacement } from './key-replacing.ts'
import type { Prepared } from './prepared.ts'
import {
  findKeys,
  findStarted,
  noteTurns,
  releaseKeys,
  type TakeKeysRow,
  takeKeys,
  takeOverKeys,
  takeTurns,
} from './statements.gen.ts'

const TRIES = 10

/** The result of submitting a key. */
export interface Decision {
  readonly id: string
  readonly outcome: SubmitOutcome
}

type Wanted = Map<string, Prepared>

/** A run that holds a key, and the submission that is to change it. */
interface Holder extends Replacement {
  readonly key: string
}

export interface Decided {
  readonly decisions: ReadonlyMap<string, Decision>
  /** Gates that replaced runs had been admitted to: other runs may be admitted now. */
  readonly freedGates: readonly bigint[]
}

const conflictOf = (run: Prepared) => run.submission.options.conflict
const windowOf = (run: Prepared): number => {
  const conflict = conflictOf(run)
  return conflict?.mode === 'return' ? conflict.windowMs : 0
}

export class KeyTaking {
  readonly #database: Database
  readonly #replacing: KeyReplacing

  constructor(database: Database, replacing: KeyReplacing) {
    this.#database = database
    this.#replacing = replacing
  }

  /** Decides key by key; a run with the outcome `created` holds its key and must be inserted. */
  async decide(
    tx: Queryable,
    runs: readonly Prepared[],
    tenantId: number,
    again: boolean,
  ): Promise<Decided> {
    const wanted: Wanted = new Map(
      runs
        .map((run) => [run.submission.options.key ?? '', run] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
    try {
      return await new KeyDecisions(this.#database, this.#replacing, tx, tenantId).make(
        wanted,
        again,
      )
    } catch (cause) {
      if (!isLockTimeout(cause)) throw cause
      throw busy(
        'Another open transaction is submitting the same key. Try again when it has ended.',
        cause,
      )
    }
  }
}

function busy(message: string, cause?: unknown): PunctualError {
  return new PunctualError('key_busy', message, { field: 'key', cause })
}

/** The state of one call of `decide`. */
class KeyDecisions {
  readonly #database: Database
  readonly #replacing: KeyReplacing
  readonly #tx: Queryable
  readonly #tenantId: number
  readonly #decisions = new Map<string, Decision>()
  readonly #freedGates: bigint[] = []

  constructor(database: Database, replacing: KeyReplacing, tx: Queryable, tenantId: number) {
    this.#database = database
    this.#replacing = replacing
    this.#tx = tx
    this.#tenantId = tenantId
  }

  async make(wanted: Wanted, again: boolean): Promise<Decided> {
    const turns = pick(wanted, (run) => changes(conflictOf(run)) || windowOf(run) > 0)
    await this.#takeTurns(turns, again)
    const strict = pick(wanted, (run) => conflictOf(run)?.mode === 'error')
    await this.#take(strict)
    await this.#refuseHeld(strict)
    await this.#take(wanted)
    await this.#noteTurns(turns)
    return { decisions: this.#decisions, freedGates: this.#freedGates }
  }

  #run<Row>(call: Call<Row>): Promise<Row[]> {
    return this.#database.runIn(this.#tx, call)
  }

  /** Waits for a turn at these keys; decides open windows, and turns that an earlier try had. */
  async #takeTurns(turns: Wanted, again: boolean): Promise<void> {
    if (turns.size === 0) return
    for (const turn of await this.#run(takeTurns(this.#tenantId, [...turns.keys()]))) {
      const { key, runId, askedBy, windowed } = turn
      const run = submissionOf(turns, key)
      const [id, outcome] =
        again && askedBy === run.id
          ? [runId, 'replaced' as const]
          : [windowOf(run) > 0 ? windowed : null, 'existing' as const]
      if (id === null) continue
      this.#decisions.set(key, { id, outcome })
      turns.delete(key)
    }
  }

  /** Repeats until each of these keys is decided. */
  async #take(wanted: Wanted): Promise<void> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const open = pick(wanted, (_, key) => !this.#decisions.has(key))
      if (open.size === 0) return
      const ids = [...open.values()].map(({ id }) => id)
      this.#created(await this.#run(takeKeys(this.#tenantId, [...open.keys()], ids)))
      const held = [...open.keys()].filter((key) => !this.#decisions.has(key))
      if (held.length > 0) await this.#meetHolders(open, held)
    }
    if ([...wanted.keys()].some((key) => !this.#decisions.has(key)))
      throw busy('The holder of the key changes faster than it can be read. Try again.')
  }

  #created(rows: readonly TakeKeysRow[]): void {
    for (const { key, runId } of rows) this.#decisions.set(key, { id: runId, outcome: 'created' })
  }

  async #meetHolders(open: Wanted, held: readonly string[]): Promise<void> {
    const changed: Holder[] = []
    for (const { key, runId: id } of await this.#run(findKeys(this.#tenantId, held))) {
      const by = submissionOf(open, key)
      if (changes(conflictOf(by))) changed.push({ key, id, by })
      else this.#decisions.set(key, { id, outcome: 'existing' })
    }
    if (changed.length === 0) return
    const { ids, gates } = await this.#replacing.replace(this.#tx, changed, this.#tenantId)
    this.#freedGates.push(...gates)
    for (const { key, id } of changed)
      if (ids.has(id)) this.#decisions.set(key, { id, outcome: 'replaced' })
    await this.#takeOver(changed.filter(({ id }) => !ids.has(id)))
  }

  /** Takes the keys of holders that have started; holders found nowhere are looked for again. */
  async #takeOver(holders: readonly Holder[]): Promise<void> {
    if (holders.length === 0) return
    const rows = await this.#run(findStarted(uuidArray(holders.map(({ id }) => id))))
    const started = new Set(rows.map(({ runId }) => runId))
    const left = holders.filter(({ id }) => started.has(id))
    if (left.length === 0) return
    const keys = left.map(({ key }) => key)
    const holding = left.map(({ id }) => id)
    const taking = left.map(({ by }) => by.id)
    this.#created(await this.#run(takeOverKeys(this.#tenantId, keys, holding, taking)))
  }

  /** Releases the keys first: the caller may commit its own transaction in spite of the error. */
  async #refuseHeld(strict: Wanted): Promise<void> {
    for (const [key, run] of strict) {
      const decision = this.#decisions.get(key)
      invariant(decision, 'every key is decided')
      if (decision.id === run.id) continue
      await this.#run(releaseKeys(uuidArray([...strict.values()].map(({ id }) => id))))
      throw new PunctualError(
        'key_conflict',
        `The key ${JSON.stringify(key)} is held by run ${decision.id}, which is live. Nothing was submitted.`,
        { field: 'key', id: decision.id },
      )
    }
  }

  async #noteTurns(turns: Wanted): Promise<void> {
    const noted = [...turns].flatMap(([key, run]) => {
      const decision = this.#decisions.get(key)
      return decision && decision.outcome !== 'existing' ? [{ key, run, id: decision.id }] : []
    })
    if (noted.length === 0) return
    const keys = noted.map(({ key }) => key)
    const ids = noted.map(({ id }) => id)
    const submissions = noted.map(({ run }) => run.id)
    const windows = int8ArrayOfNumbers(noted.map(({ run }) => windowOf(run)))
    await this.#run(noteTurns(this.#tenantId, keys, ids, submissions, windows))
  }
}

function submissionOf(wanted: Wanted, key: string): Prepared {
  const run = wanted.get(key)
  invariant(run, 'only keys of these submissions are returned')
  return run
}

function pick(wanted: Wanted, which: (run: Prepared, key: string) => boolean): Wanted {
  return new Map([...wanted].filter(([key, run]) => which(run, key)))
}
