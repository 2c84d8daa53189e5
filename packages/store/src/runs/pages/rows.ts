/** Converts rows of runs/page-runs to the runs of a page, or to the groups of a count. */
import type { RunItem, RunState } from '@punctual/core/run'
import type { Row } from '../../connection/channel.ts'
import { date, summary } from '../rows.ts'

/** One stretch: how many runs it examined, the matches, and where it was cut short. */
export interface Stretch {
  readonly looked: number
  readonly edge: { readonly id: string; readonly endUs: string | null } | null
  /** The columns after the edge: one entry per run or group. */
  readonly rows: readonly Row[]
}

export function toStretch(rows: readonly Row[]): Stretch {
  const [looked, edge, edgeUs] = rows[0] as Row
  return {
    looked: Number(looked),
    edge: edge ? { id: edge, endUs: edgeUs ?? null } : null,
    rows: rows.map((row) => row.slice(3)).filter(([, id, , , , priority]) => id ?? priority),
  }
}

export function toItem(row: Row): RunItem {
  const [, id, state, handler, queue, priority, dueAt, createdAt, attempt, startedAt] = row
  const [finishedAt, error, workerId, jobId, job, key, labels, fingerprint, replayedAs] =
    row.slice(10)
  return {
    ...summary(id, handler, queue, priority, dueAt, attempt),
    state: state as RunState,
    createdAt: new Date(createdAt as string),
    startedAt: date(startedAt),
    finishedAt: date(finishedAt),
    error: error ?? null,
    workerId: workerId ?? null,
    jobId: jobId ?? null,
    job: job ?? null,
    key: key ?? null,
    labels: labels ? JSON.parse(labels) : {},
    fingerprint: fingerprint ?? null,
    replayedAs: replayedAs ?? null,
  }
}

/** The position of a run in the order of the page. */
export function positionOf([endUs, id]: Row): { id: string; endUs: string | null } {
  return { id: id as string, endUs: endUs ?? null }
}
