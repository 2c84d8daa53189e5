import type { AuditorStore, AuditPage } from '@punctual/core/ports'
import { ManualClock } from '@punctual/testkit'
import { expect, test } from 'vitest'
import { Auditor } from './auditor.ts'

const nothing: AuditPage = {
  ...{ nowMs: 0, planning: false, zonesCurrent: true, jobs: [] },
  ...{ cursorMissing: [], jobMissing: [], rulesMissing: [], next: null },
}

/** A store that returns these pages and records its calls. */
function aStore(...pages: AuditPage[]) {
  const calls: string[] = []
  const answers: { [Verb in keyof AuditorStore]: AuditorStore[Verb] } = {
    auditPage: async (after) => {
      calls.push(`auditPage ${after}`)
      return pages.shift() ?? nothing
    },
    checkSlots: async () => [],
    straySlots: async () => [],
    repairCursor: async () => true,
    rearm: async () => [],
    removeCursors: async (ids) => {
      calls.push(`removeCursors ${ids}`)
      return ids
    },
    freeHolds: async () => {
      calls.push('freeHolds')
      return { next: null, runs: [] }
    },
    freeParked: async () => [],
    resolveParked: async () => undefined,
    unplannedRuns: async () => ({ next: null, runs: [] }),
  }
  return { calls, store: answers }
}

test('without jobs an auditor runs one query a minute', async () => {
  const { calls, store } = aStore()
  const rounds: boolean[] = []
  const auditor = new Auditor({
    ...{ store, clock: new ManualClock() },
    onAudited: ({ roundEnded }) => void rounds.push(roundEnded),
  })
  expect(await auditor.tick()).toBe(60_000)
  expect(await auditor.tick()).toBe(60_000)
  expect(calls).toEqual(['auditPage null', 'auditPage null'])
  expect(rounds).toEqual([true, true])
})

test('a round goes from page to page with short rests, and then rests for a minute', async () => {
  const { calls, store } = aStore({ ...nothing, jobMissing: ['a'], next: 'a' }, nothing, nothing)
  const results: object[] = []
  const auditor = new Auditor({
    ...{ store, clock: new ManualClock() },
    onAudited: (result) => void results.push(result),
  })
  expect(await auditor.tick()).toBe(1_000)
  expect(await auditor.tick()).toBe(60_000)
  expect(await auditor.tick()).toBe(60_000)
  expect(calls.filter((call) => call.startsWith('auditPage'))).toEqual([
    ...['auditPage null', 'auditPage a', 'auditPage null'],
  ])
  expect(results[0]).toEqual({
    ...{ jobs: 0, roundEnded: false },
    findings: [{ kind: 'job-missing', jobId: 'a', at: null, runId: null, repaired: true }],
  })
})

test('a finding that cannot be repaired is reported once an hour', async () => {
  const page = { ...nothing, cursorMissing: ['a'] }
  const { store } = aStore(page, page, page)
  const clock = new ManualClock()
  const reported: number[] = []
  const auditor = new Auditor({
    ...{ store, clock },
    onAudited: ({ findings }) => void reported.push(findings.length),
  })
  await auditor.tick()
  await auditor.tick()
  await clock.advance(3_600_000)
  await auditor.tick()
  expect(reported).toEqual([1, 0, 1])
})
