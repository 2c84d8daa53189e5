/**
 * Replaces runs that have a key and have not started: each leaves its place, takes the values of
 * the new submission, and waits in its new place. All of it happens in the transaction of the
 * submission, so that no other session sees a run without a place; a run that a claim took first
 * stays unchanged.
 */
import { uuidArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import type { Queryable } from '../connection/queryable.ts'
import { flowFields } from './flow-keys.ts'
import { STATEMENT_LENGTH_MAX } from './insert-calls.ts'
import type { Prepared } from './prepared.ts'
import {
  replaceRuns,
  withdrawFromLater,
  withdrawFromParked,
  withdrawFromQueue,
} from './statements.gen.ts'

/** Ends with the places that a run may have moved to meanwhile. */
const PLACES = ['queue', 'later', 'parked', 'queue', 'later'] as const
const withdrawFrom = {
  queue: withdrawFromQueue,
  later: withdrawFromLater,
  parked: withdrawFromParked,
}

export interface Replacement {
  /** The run to change. */
  readonly id: string
  readonly by: Prepared
}

export interface Withdrawn {
  readonly ids: ReadonlySet<string>
  /** Gates that some of these runs had been admitted to. */
  readonly gates: readonly bigint[]
}

export class KeyReplacing {
  readonly #database: Database
  readonly #horizonMs: number

  constructor(database: Database, horizonMs: number) {
    this.#database = database
    this.#horizonMs = horizonMs
  }

  /** Changes the runs that have not started; returns which. */
  async replace(
    tx: Queryable,
    wanted: readonly Replacement[],
    tenantId: number,
  ): Promise<Withdrawn> {
    const ids = wanted.map(({ id }) => id)
    const withdrawn = await this.#withdraw(tx, ids, tenantId)
    const replaced = wanted.filter(({ id }) => withdrawn.ids.has(id))
    for (const piece of inPieces(replaced)) {
      const definitions = JSON.stringify(piece.map(({ id, by }, i) => rowOf(id, by, i)))
      const ids = uuidArray(piece.map(({ id }) => id))
      await this.#database.runIn(tx, replaceRuns(tenantId, definitions, this.#horizonMs, ids))
    }
    return withdrawn
  }

  /** Searches one place after another, each with a new snapshot. */
  async #withdraw(tx: Queryable, ids: readonly string[], tenantId: number): Promise<Withdrawn> {
    const done = new Set<string>()
    const gates: bigint[] = []
    for (const place of PLACES) {
      const left = ids.filter((id) => !done.has(id))
      if (left.length === 0) break
      const call = withdrawFrom[place](uuidArray(left), tenantId)
      for (const { runId, gate } of await this.#database.runIn(tx, call)) {
        done.add(runId)
        if (gate !== null) gates.push(gate)
      }
    }
    return { ids: done, gates }
  }
}

/** The new values of a run. */
function rowOf(id: string, { submission, lane, dueMs, tenantId }: Prepared, n: number) {
  const { payload, flow, options } = submission
  const { conflict, labels } = options
  const debounced = conflict?.mode === 'debounce' ? conflict : null
  return {
    ...{ n, id, lane, payload, due_ms: dueMs, traits: options.traits },
    ...{ timeout_ms: options.timeoutMs, max_attempts: options.maxAttempts },
    ...{ window_ms: debounced?.windowMs ?? null, max_wait_ms: debounced?.maxWaitMs ?? null },
    ...{ policy: options.policy, created_by: options.createdBy, trace: options.trace },
    labels: labels === null ? null : JSON.parse(labels),
    flow: flow ? flowFields(tenantId, flow) : null,
  }
}

function inPieces(replacements: readonly Replacement[]): Replacement[][] {
  const pieces: Replacement[][] = []
  let length = STATEMENT_LENGTH_MAX
  for (const replacement of replacements) {
    length += replacement.by.submission.payload.length
    if (length > STATEMENT_LENGTH_MAX) {
      pieces.push([])
      length = replacement.by.submission.payload.length
    }
    pieces.at(-1)?.push(replacement)
  }
  return pieces
}
