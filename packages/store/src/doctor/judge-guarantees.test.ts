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

test('every promise holds on a sound server', () => {
  const { verdict, guarantees, weaknesses } = judge({})
  expect(verdict).toBe('holds')
  expect(guarantees.map(({ promise }) => promise)).toEqual([...COMMITTED, 'database-clock'])
  expect(guarantees.every((it) => it.verdict === 'holds' && it.causes.length === 0)).toBe(true)
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
    expect(weaknesses.map((it) => it.cause)).toEqual([cause])
    expect(weaknesses[0]?.why).toMatch(/\.$/)
    expect(weaknesses[0]?.advice).toMatch(/\.$/)
    const weak = guarantees.filter((it) => it.verdict === 'weakened')
    expect(weak.map(({ promise }) => promise)).toEqual(promises)
    for (const { causes } of weak) expect(causes).toEqual([cause])
  })
})

describe('weakens nothing', () => {
  test.for<[string, Partial<GuaranteeFacts>]>([
    ['a synchronous standby', { synchronousStandbyNames: 'b', standbys: [standby('sync')] }],
    ['a quorum', { synchronousStandbyNames: 'ANY 1 (b, c)', standbys: [standby('quorum')] }],
    [
      'a standby whose state this role may not see',
      { synchronousStandbyNames: 'b', standbys: [standby(null)] },
    ],
    ['a pooler', { pooled: true }],
    ['a schema that is not there', { plannerZoneData: null }],
    ['no checksums', { dataChecksums: false }],
    ['remote_apply', { synchronousCommit: 'remote_apply', synchronousStandbyNames: '' }],
  ])('%s', ([, facts]) => {
    expect(judge(facts).weaknesses).toEqual([])
  })
})

test('whom to fail over to is noted where some standbys follow and others lag', () => {
  const { notes } = judge({
    synchronousStandbyNames: 'b',
    standbys: [standby('sync'), standby('async', 'c')],
  })
  expect(notes.join()).toContain('Fail over to b only; c may lack')
})

test('the offset of the clock is told with its direction', () => {
  expect(judge({ clockOffsetMs: 5_000 }).weaknesses[0]?.why).toContain('5.0 s ahead of')
  expect(judge({ clockOffsetMs: -2_500 }).weaknesses[0]?.why).toContain('2.5 s behind')
})

test('says when only one wall is between tenants, which weakens no promise of these', () => {
  expect(judge({}).notes.join()).not.toContain('row security')
  expect(judge({ rowSecurity: null }).notes.join()).not.toContain('row security')
  const { notes, verdict } = judge({ rowSecurity: 'no_role' })
  expect([notes.join(), verdict]).toEqual([expect.stringContaining('row security'), 'holds'])
})

test('tells how far behind lists may be that a standby is read for, and why it is passed by', () => {
  const readStandby = { allowedMs: 10_000, lagMs: 40, passedBy: null }
  const behind = judge({ readStandby })
  expect([behind.verdict, behind.notes.join()]).toEqual([
    'holds',
    expect.stringContaining('is 40 ms behind and may be 10000 ms'),
  ])
  const { notes } = judge({ readStandby: { ...readStandby, lagMs: null, passedBy: 'it is away' } })
  expect(notes.join()).toContain('is passed by (it is away)')
})
