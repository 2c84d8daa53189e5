/** Converts rows of runs/page-runs to the runs of a page, or to the groups of a count. */
import { invariant } from '@punctual/core/errors'
import type { RunItem } from '@punctual/core/run'
import { summary } from '../rows.ts'
import type { PageRunsRow } from '../statements.gen.ts'

/** One stretch: how many runs it examined, the matches, and where it was cut short. */
export interface Stretch {
  readonly looked: number
  readonly edge: { readonly id: string; readonly endUs: string | null } | null
  /** One row per run or group. */
  readonly rows: readonly PageRunsRow[]
}

export function toStretch(rows: readonly PageRunsRow[]): Stretch {
  const [first] = rows
  invariant(first, 'a stretch without matches is one row')
  const { looked, edge, edgeUs } = first
  return {
    looked,
    edge: edge === null ? null : { id: edge, endUs: edgeUs },
    // A group may have no name, but always has its number of runs.
    rows: rows.filter(({ id, priority }) => id !== null || priority !== null),
  }
}

export function toItem(row: PageRunsRow): RunItem {
  const { id, state, handler, queue, priority, dueAt, createdAt } = row
  invariant(id !== null && state !== null && createdAt !== null, 'a page has whole runs')
  invariant(handler !== null && queue !== null && dueAt !== null, 'a page has whole runs')
  return {
    ...summary({ id, handler, queue, dueAt, priority: priority ?? 0, attempt: row.attempt ?? 0 }),
    state,
    createdAt,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    error: row.error,
    workerId: row.sessionId,
    jobId: row.jobId,
    job: row.job,
    key: row.key,
    labels: row.labels ?? {},
    fingerprint: row.fingerprint,
    replayedAs: row.replayedAs,
  }
}

/** The position of a run in the order of the page. */
export function positionOf({ atUs, id }: PageRunsRow): { id: string; endUs: string | null } {
  invariant(id, 'a run of a page has an id')
  return { id, endUs: atUs }
}
