/** The table of a job's status: complete, without a row that never applies, and the one that the docs show. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runStates } from '../run/run-state.ts'
import {
  type JobCondition,
  jobStatus,
  jobStatuses,
  jobStatusTable,
  type LatestRunState,
} from './job-status.ts'

const conditions: readonly JobCondition[] = ['deleted', 'paused', 'broken', 'over', 'active']
const runs: readonly LatestRunState[] = [...runStates, 'dead, handled', 'none']

describe('the status of a job', () => {
  it('is known for every job and every run', () => {
    for (const job of conditions)
      for (const run of runs) expect(jobStatuses).toContain(jobStatus(job, run))
  })

  it('can be any of the statuses, and each row of the table decides something', () => {
    const decided = new Set<object>()
    for (const job of conditions)
      for (const run of runs) {
        const rule = jobStatusTable.find(
          (it) => ['any', job].includes(it.job) && ['any', run].includes(it.run),
        )
        decided.add(rule as object)
      }
    expect(decided.size).toBe(jobStatusTable.length)
    expect(new Set(jobStatusTable.map(({ status }) => status))).toEqual(new Set(jobStatuses))
  })

  it.each([
    ['active', 'dead', 'scheduled'],
    ['active', 'running', 'running'],
    ['paused', 'running', 'running'],
    ['paused', 'queued', 'paused'],
    ['over', 'dead', 'dead_letter'],
    ['over', 'queued', 'queued'],
  ] as const)('of a job that is %s and a run that is %s is %s', (job, run, status) => {
    expect(jobStatus(job, run)).toBe(status)
  })

  it('is explained by the same table in the docs', () => {
    const page = new URL('../../../../docs/concepts/job-status.md', import.meta.url)
    const rows = [...readFileSync(page, 'utf8').matchAll(/^\| (.+) \| (.+) \| `(.+)` \|$/gm)]
    expect(rows.map(([, job, run, status]) => ({ job, run, status }))).toEqual(jobStatusTable)
  })
})
