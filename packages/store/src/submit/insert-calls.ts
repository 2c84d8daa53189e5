/** The statements that insert runs: one for each distinct set of rare options, usually one. */
import { invariant } from '@punctual/core/errors'
import {
  int4Array,
  int8ArrayOfNumbers,
  jsonbArray,
  textArray,
  uuidArray,
} from '../connection/binary-arrays.ts'
import type { ArrayOf, Call } from '../sql/typed.ts'
import { encodeFlow } from './flow-keys.ts'
import type { Prepared } from './prepared.ts'
import { insertDueRuns, insertGatedRuns, insertRuns, insertRunsAgain } from './statements.gen.ts'

const SEQUENCE_MAX = 1 << 20
/** The most payload that one statement carries. */
export const STATEMENT_LENGTH_MAX = 16_777_216

export interface InsertOptions {
  readonly nowMs: number
  readonly horizonMs: number
  /** Whether an earlier try may have been committed. */
  readonly again: boolean
  /** Whether runs of a full gate wait at once: the caller rechecks their gates after the commit. */
  readonly mayWait: boolean
}

export class InsertCalls {
  /** Orders runs that are due in the same millisecond. */
  #sequence = 0

  of(runs: readonly Prepared[], options: InsertOptions): Call<null>[] {
    const calls: Call<null>[] = []
    for (const piece of inPieces(byShape(runs))) {
      calls.push(insertion(piece, this.#sequence, options))
      this.#sequence = (this.#sequence + piece.length) % SEQUENCE_MAX
    }
    return calls
  }
}

function insertion(runs: readonly Prepared[], sequence: number, options: InsertOptions) {
  const { again, horizonMs, mayWait, nowMs } = options
  const values = valuesOf(runs, sequence)
  if (runs[0]?.submission.flow !== undefined)
    return insertGatedRuns(...values, horizonMs, flowsOf(runs), mayWait)
  if (again) return insertRunsAgain(...values, horizonMs)
  // Runs that are clearly within the horizon need no check against it.
  const soonMs = nowMs + horizonMs / 2
  if (runs.every(({ dueMs }) => dueMs === null || dueMs < soonMs)) return insertDueRuns(...values)
  return insertRuns(...values, horizonMs)
}

function valuesOf(runs: readonly Prepared[], sequence: number): Parameters<typeof insertDueRuns> {
  const [first] = runs
  invariant(first, 'an insert has runs')
  const { lane, tenantId } = first
  const { maxAttempts, timeoutMs, traits, policy, createdBy, trace } = first.submission.options
  return [
    uuidArray(runs.map((run) => run.id)),
    textArray(runs.map((run) => run.submission.payload)),
    unlessNull(runs, (run) => run.dueMs, int8ArrayOfNumbers),
    runs.every((run) => run.lane === lane) ? null : int4Array(runs.map((run) => run.lane)),
    unlessNull(runs, (run) => run.submission.options.key, textArray),
    unlessNull(runs, (run) => run.submission.options.labels, jsonbArray),
    lane,
    tenantId,
    maxAttempts,
    timeoutMs,
    traits,
    policy,
    createdBy,
    trace,
    sequence,
  ]
}

/** The column as an array, or null if all of its values are. */
function unlessNull<T, Element extends string>(
  runs: readonly Prepared[],
  column: (run: Prepared) => T | null,
  encode: (values: (T | null)[]) => ArrayOf<Element>,
): ArrayOf<Element> | null {
  return runs.some((run) => column(run) !== null) ? encode(runs.map(column)) : null
}

function flowsOf(runs: readonly Prepared[]): ArrayOf<'jsonb'> {
  return jsonbArray(runs.map(({ tenantId, submission }) => encodeFlow(tenantId, submission.flow)))
}

/** Bounds the payload of a statement; a larger group takes several, in one transaction. */
function* inPieces(groups: Iterable<readonly Prepared[]>): Iterable<readonly Prepared[]> {
  for (const group of groups) {
    let from = 0
    let length = 0
    for (const [i, run] of group.entries()) {
      length += run.submission.payload.length
      if (length <= STATEMENT_LENGTH_MAX || i === from) continue
      yield group.slice(from, i)
      from = i
      length = run.submission.payload.length
    }
    yield from === 0 ? group : group.slice(from)
  }
}

/** Groups runs by the options that a statement takes once for all of its runs. */
function byShape(runs: readonly Prepared[]): Iterable<readonly Prepared[]> {
  const [first] = runs
  const alike = (run: Prepared) =>
    run.submission.options === first?.submission.options && run.tenantId === first.tenantId
  if (runs.every(alike)) return [runs]
  const groups = new Map<string, Prepared[]>()
  for (const run of runs) {
    const { maxAttempts, timeoutMs, traits, policy, createdBy, trace } = run.submission.options
    const values = [run.tenantId, maxAttempts, timeoutMs, traits, policy, createdBy, trace]
    const shape = JSON.stringify(values)
    const group = groups.get(shape)
    if (group) group.push(run)
    else groups.set(shape, [run])
  }
  return groups.values()
}
