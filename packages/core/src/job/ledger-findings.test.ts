import { describe, expect, test } from 'vitest'
import { TimingCache } from '../schedule/timing-cache.ts'
import type { JobRules } from './job-rules.ts'
import { type AuditedJob, auditCursor, decidedUntil } from './ledger-findings.ts'

const timings = new TimingCache()
const t = (text: string) => Date.parse(`2026-03-01T${text}Z`)
const cron = (expression: string, timezone = 'UTC'): JobRules => ({
  when: { kind: 'cron', expression },
  timezone,
  overlap: 'skip',
})
const once: JobRules = { when: { kind: 'once' }, timezone: 'UTC', overlap: 'skip' }
const afterEnd: JobRules = {
  when: { kind: 'after-end', expression: '1m' },
  timezone: 'UTC',
  overlap: 'skip',
}

/** An hourly job, decided up to ten o'clock and audited at half past. */
function aJob(changes: Partial<AuditedJob> = {}): AuditedJob {
  return {
    ...{ id: 'a', rules: cron('0 * * * *'), version: 1, createdMs: t('08:30:00') },
    ...{ anchorMs: t('08:30:00'), endMs: null, runsLeft: null, cursorMs: t('10:00:00') },
    ...{ nextMs: t('11:00:00'), paused: false, setAside: false },
    ...changes,
  }
}

const audit = (changes: Partial<AuditedJob>, planning = true) =>
  auditCursor(aJob(changes), timings, { nowMs: t('10:30:00'), planning, zonesCurrent: false })

describe('a cursor has no fault', () => {
  test.for([
    ['at the first undecided slot', {}],
    ['a little in the past', { cursorMs: t('09:00:00'), nextMs: t('10:00:00') }, false],
    ['nowhere, while the job is paused', { nextMs: null, paused: true }],
    ['nowhere, while the job is set aside', { nextMs: null, setAside: true }],
    ['nowhere, when no run is left', { nextMs: null, runsLeft: 0 }],
    ['nowhere, when the job has ended', { nextMs: null, endMs: t('11:00:00') }],
    [
      'nowhere, when the job ends sooner than it could fire again',
      { rules: afterEnd, nextMs: null, endMs: t('10:30:59') },
    ],
    ['at the first slot after the start', { anchorMs: t('12:00:00'), nextMs: t('12:00:00') }],
    ['nowhere, when it has run once', { rules: once, anchorMs: t('10:00:00'), nextMs: null }],
    ['ahead, before it has run once', { rules: once, anchorMs: t('11:00:00') }],
    [
      'at the next slot of a job that waits for its runs',
      { rules: afterEnd, nextMs: t('10:30:00') },
    ],
    ['nowhere, when a job that waits for its runs has ended', afterEndOver()],
  ] as [string, Partial<AuditedJob>, boolean?][])('%s', ([, changes, planning]) => {
    expect(audit(changes, planning)).toBeNull()
  })

  function afterEndOver() {
    return { rules: afterEnd, nextMs: null, endMs: t('10:00:00') }
  }
})

describe('a cursor has a fault', () => {
  test.for([
    [{ nextMs: null }, { kind: 'cursor-lost', nextMs: t('11:00:00') }],
    [
      { rules: once, anchorMs: t('11:00:00'), nextMs: null },
      { kind: 'cursor-lost', nextMs: t('11:00:00') },
    ],
    [
      { rules: once, anchorMs: t('01:00:00'), cursorMs: t('08:30:00') - 1, nextMs: null },
      { kind: 'cursor-lost', nextMs: t('08:30:00') },
    ],
    [{ nextMs: t('11:00:01') }, { kind: 'cursor-stray', nextMs: t('11:00:00') }],
    [{ nextMs: t('12:00:00') }, { kind: 'cursor-stray', nextMs: t('11:00:00') }],
    [{ nextMs: t('10:00:00') }, { kind: 'cursor-stray', nextMs: t('11:00:00') }],
    [
      { rules: cron('0 * * * *', 'Europe/Berlin'), nextMs: t('12:00:00') },
      { kind: 'cursor-stray', nextMs: null },
    ],
    [{ rules: afterEnd, nextMs: null }, { kind: 'rearm-lost' }],
    [{ cursorMs: t('09:00:00'), nextMs: t('10:00:00') }, { kind: 'planning-behind' }],
    [{ rules: afterEnd, nextMs: t('10:00:00') }, { kind: 'planning-behind' }],
  ] as [Partial<AuditedJob>, object][])('%j', ([changes, fault]) => {
    expect(audit(changes)).toEqual(fault)
  })
})

describe('slots must have a decision', () => {
  test('up to the next slot to decide', () => {
    expect(decidedUntil(aJob())).toBe(t('11:00:00') - 1)
  })

  test('up to the cursor while the job is not planned', () => {
    for (const stopped of [{ paused: true }, { setAside: true }, { runsLeft: 0 }])
      expect(decidedUntil(aJob({ ...stopped, nextMs: null }))).toBe(t('10:00:00'))
  })

  test('without limit when the job has no further slot', () => {
    expect(decidedUntil(aJob({ nextMs: null }))).toBe(Number.POSITIVE_INFINITY)
  })
})

test('a stray cursor outside UTC is repaired by a node with the newest time zone data', () => {
  const job = aJob({ rules: cron('0 * * * *', 'Europe/Berlin'), nextMs: t('12:00:00') })
  const view = { nowMs: t('10:30:00'), planning: true, zonesCurrent: true }
  expect(auditCursor(job, timings, view)).toEqual({ kind: 'cursor-stray', nextMs: t('11:00:00') })
})
