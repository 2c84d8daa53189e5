import type { GuaranteeFacts, StandbyFacts } from '@punctual/core/ports'
import { describe, expect, test } from 'vitest'
import { judgeGuarantees } from './judge-guarantees.ts'

const sound: GuaranteeFacts = {
  version: '18.0',
  timeline: '1',
  startedAt: new Date(0),
  readOnly: false,
  fsync: true,
  fullPageWrites: true,
  dataChecksums: true,
  synchronousCommit: 'on',
  synchronousStandbyNames: '',
  standbys: [],
  connectionsFree: 100,
  pooled: false,
  rowSecurity: 'up',
  readStandby: null,
  clockOffsetMs: 3,
  zoneData: '2026a',
  plannerZoneData: ['2026a'],
}
const standby = (syncState: string | null, name = 'b'): StandbyFacts => ({
  ...{ name, syncState, state: syncState === null ? null : 'streaming' },
})
const judge = (facts: Partial<GuaranteeFacts>) => judgeGuarantees({ ...sound, ...facts })
const COMMITTED = ['one-slot', 'one-outcome', 'nothing-lost', 'honest-effects']

test('every guarantee holds on a sound server', () => {
  const { verdict, guarantees, weaknesses } = judge({})
  expect(verdict).toBe('holds')
  expect(guarantees.map(({ promise }) => promise)).toEqual([...COMMITTED, 'database-clock'])
  expect(guarantees.every((g) => g.verdict === 'holds' && g.causes.length === 0)).toBe(true)
  expect(weaknesses).toEqual([])
})

describe('weakens', () => {
  test.for<[string, Partial<GuaranteeFacts>, string[]]>([
    ['fsync', { fsync: false }, COMMITTED],
    ['full_page_writes', { fullPageWrites: false }, COMMITTED],
    ['synchronous_commit', { synchronousCommit: 'off' }, COMMITTED],
    ['standby_asynchronous', { standbys: [standby('async')] }, COMMITTED],
    ['standby_asynchronous', { standbys: [standby(null, '')] }, COMMITTED],
    [
      'synchronous_commit',
      { synchronousCommit: 'local', synchronousStandbyNames: 'b', standbys: [standby('sync')] },
      COMMITTED,
    ],
    [
      'synchronous_commit',
      { synchronousCommit: 'remote_write', synchronousStandbyNames: 'b' },
      COMMITTED,
    ],
    [
      'standby_missing',
      { synchronousStandbyNames: 'b', standbys: [standby('async', 'c')] },
      ['nothing-lost'],
    ],
    ['connections', { connectionsFree: 3 }, ['nothing-lost', 'honest-effects']],
    ['read_only', { readOnly: true }, ['nothing-lost']],
    ['clock', { clockOffsetMs: -5_000 }, ['database-clock']],
    ['zone_data', { plannerZoneData: ['2026a', '2025b', '2026a'] }, ['one-slot']],
  ])('%s (%#)', ([cause, facts, promises]) => {
    const { verdict, guarantees, weaknesses } = judge(facts)
    expect(verdict).toBe('weakened')
    expect(weaknesses.map((weakness) => weakness.cause)).toEqual([cause])
    expect(weaknesses[0]?.why).toMatch(/\.$/)
    expect(weaknesses[0]?.advice).toMatch(/\.$/)
    const weak = guarantees.filter((guarantee) => guarantee.verdict === 'weakened')
    expect(weak.map(({ promise }) => promise)).toEqual(promises)
    for (const { causes } of weak) expect(causes).toEqual([cause])
  })
})

describe('weakens nothing', () => {
  test.for<[string, Partial<GuaranteeFacts>]>([
    ['a synchronous standby', { synchronousStandbyNames: 'b', standbys: [standby('sync')] }],
    ['a quorum', { synchronousStandbyNames: 'ANY 1 (b, c)', standbys: [standby('quorum')] }],
    [
      'a standby whose state this role cannot see',
      { synchronousStandbyNames: 'b', standbys: [standby(null)] },
    ],
    ['a pooler', { pooled: true }],
    ['a missing schema', { plannerZoneData: null }],
    ['no checksums', { dataChecksums: false }],
    ['remote_apply', { synchronousCommit: 'remote_apply', synchronousStandbyNames: '' }],
  ])('%s', ([, facts]) => {
    expect(judge(facts).weaknesses).toEqual([])
  })
})

test('a note names the standbys to fail over to when only some are synchronous', () => {
  const { notes } = judge({
    synchronousStandbyNames: 'b',
    standbys: [standby('sync'), standby('async', 'c')],
  })
  expect(notes.join()).toContain('Fail over to b only; c may lack')
})

test('the offset of the clock is shown with its direction', () => {
  expect(judge({ clockOffsetMs: 5_000 }).weaknesses[0]?.why).toContain('5.0 s ahead of')
  expect(judge({ clockOffsetMs: -2_500 }).weaknesses[0]?.why).toContain('2.5 s behind')
})

test('a note reports missing row security, which weakens no guarantee', () => {
  expect(judge({}).notes.join()).not.toContain('row security')
  expect(judge({ rowSecurity: null }).notes.join()).not.toContain('row security')
  const { notes, verdict } = judge({ rowSecurity: 'no_role' })
  expect([notes.join(), verdict]).toEqual([expect.stringContaining('row security'), 'holds'])
})

test('a note shows how far the read replica is behind, or why it is skipped', () => {
  const readStandby = { allowedMs: 10_000, lagMs: 40, skippedBecause: null }
  const behind = judge({ readStandby })
  expect([behind.verdict, behind.notes.join()]).toEqual([
    'holds',
    expect.stringContaining('is 40 ms behind; 10000 ms are allowed'),
  ])
  const { notes } = judge({
    readStandby: { ...readStandby, lagMs: null, skippedBecause: 'it is down' },
  })
  expect(notes.join()).toContain('is skipped (it is down)')
})
