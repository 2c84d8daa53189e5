/**
 * The job status table is complete, has no row that never applies, and equals the table in the
 * docs.
 */
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
  it('is defined for every job and every run', () => {
    for (const job of conditions)
      for (const run of runs) expect(jobStatuses).toContain(jobStatus(job, run))
  })

  it('can be each of the statuses, and each row of the table applies to some case', () => {
    const decided = new Set<object>()
    for (const job of conditions)
      for (const run of runs) {
        const rule = jobStatusTable.find(
          (rule) => ['any', job].includes(rule.job) && ['any', run].includes(rule.run),
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

  it('has the same table in the docs', () => {
    const page = new URL('../../../../docs/concepts/job-status.md', import.meta.url)
    const rows = [...readFileSync(page, 'utf8').matchAll(/^\| (.+) \| (.+) \| `(.+)` \|$/gm)]
    expect(rows.map(([, job, run, status]) => ({ job, run, status }))).toEqual(jobStatusTable)
  })
})
