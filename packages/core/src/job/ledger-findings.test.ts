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

/** Hourly, decided up to ten, looked at at half past. */
function aJob(of: Partial<AuditedJob> = {}): AuditedJob {
  return {
    ...{ id: 'a', rules: cron('0 * * * *'), version: 1, createdMs: t('08:30:00') },
    ...{ anchorMs: t('08:30:00'), endMs: null, runsLeft: null, cursorMs: t('10:00:00') },
    ...{ nextMs: t('11:00:00'), paused: false, setAside: false },
    ...of,
  }
}

const audit = (of: Partial<AuditedJob>, planning = true) =>
  auditCursor(aJob(of), timings, { nowMs: t('10:30:00'), planning, zonesCurrent: false })

describe('a cursor is in order', () => {
  test.for([
    ['at the first slot that is undecided', {}],
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
    ['where a job that waits is set going', { rules: afterEnd, nextMs: t('10:30:00') }],
    ['nowhere, when one that waits has ended', afterEndOver()],
  ] as [string, Partial<AuditedJob>, boolean?][])('%s', ([, of, planning]) => {
    expect(audit(of, planning)).toBeNull()
  })

  function afterEndOver() {
    return { rules: afterEnd, nextMs: null, endMs: t('10:00:00') }
  }
})

describe('a cursor is wrong', () => {
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
  ] as [Partial<AuditedJob>, object][])('%j', ([of, fault]) => {
    expect(audit(of)).toEqual(fault)
  })
})

describe('slots must be decided', () => {
  test('up to the next one to decide', () => {
    expect(decidedUntil(aJob())).toBe(t('11:00:00') - 1)
  })

  test('up to the cursor where nothing is planned', () => {
    for (const of of [{ paused: true }, { setAside: true }, { runsLeft: 0 }])
      expect(decidedUntil(aJob({ ...of, nextMs: null }))).toBe(t('10:00:00'))
  })

  test('all of them when nothing more is to come', () => {
    expect(decidedUntil(aJob({ nextMs: null }))).toBe(Number.POSITIVE_INFINITY)
  })
})

test('a cursor in a zone is put right by a node whose time zone data is the newest', () => {
  const job = aJob({ rules: cron('0 * * * *', 'Europe/Berlin'), nextMs: t('12:00:00') })
  const view = { nowMs: t('10:30:00'), planning: true, zonesCurrent: true }
  expect(auditCursor(job, timings, view)).toEqual({ kind: 'cursor-stray', nextMs: t('11:00:00') })
})
