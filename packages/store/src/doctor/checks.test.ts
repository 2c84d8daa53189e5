import { PunctualError } from '@punctual/core/errors'
import { describe, expect, test } from 'vitest'
import { durabilityChecks } from './durability-checks.ts'
import type { Finding } from './finding.ts'
import { CONNECTIONS_OF_A_NODE } from './judge-guarantees.ts'
import { dayChecks, migrationCheck, privilegeCheck } from './schema-checks.ts'
import { serverChecks } from './server-checks.ts'
import type {
  ListDeadRowsRow,
  ReadActivityRow,
  ReadPrivilegesRow,
  ReadSettingsRow,
} from './statements.gen.ts'
import { vacuumChecks } from './vacuum-checks.ts'

const settings: ReadSettingsRow = {
  versionNum: 180_004,
  version: '18.4',
  inRecovery: false,
  timeline: '00000001',
  startedAt: new Date('2030-01-01T00:00:00Z'),
  dataChecksums: 'on',
  readOnly: 'off',
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  standbyNames: '',
  standbys: 0,
  autovacuum: 'on',
  trackCounts: 'on',
  maxConnections: 200,
  reserved: 3,
  maxLocks: 256,
  maxPrepared: 0,
  statementTimeoutMs: 0,
}

const activity: ReadActivityRow = {
  connections: 10,
  roleLimit: -1,
  databaseLimit: -1,
  oldestMs: null,
  oldestPid: null,
  oldestApplication: null,
  oldestState: null,
  horizonAge: null,
  horizonHolder: null,
}

const HISTORY_DAYS = 104

function deadRows(dead: number): ListDeadRowsRow {
  return { name: 'queue', live: 1, dead, lastVacuum: null }
}

function levelOf(check: string, findings: readonly Finding[]): string | undefined {
  return findings.find((finding) => finding.check === check)?.level
}

describe('the server', () => {
  const examine = (facts: Partial<ReadSettingsRow>, more: Partial<ReadActivityRow> = {}) =>
    serverChecks({ ...settings, ...facts }, { ...activity, ...more }, HISTORY_DAYS)

  test('has no findings when it is configured well', () => {
    expect(new Set(examine({}).map(({ level }) => level))).toEqual(new Set(['ok']))
  })

  test.for([
    ['version', { versionNum: 140_012 }, {}, 'fail'],
    ['version', { versionNum: 150_000 }, {}, 'ok'],
    ['version', { versionNum: 190_000 }, {}, 'warn'],
    ['writable', { inRecovery: true }, {}, 'fail'],
    ['writable', { readOnly: 'on' }, {}, 'fail'],
    ['connections', { maxConnections: 30 }, {}, 'warn'],
    ['connections', {}, { roleLimit: 25 }, 'warn'],
    ['connections', {}, { databaseLimit: CONNECTIONS_OF_A_NODE - 1 }, 'warn'],
    ['connections', {}, { databaseLimit: CONNECTIONS_OF_A_NODE + 10 }, 'ok'],
    ['locks', { maxLocks: 64, maxConnections: 100 }, {}, 'warn'],
    ['statement_timeout', { statementTimeoutMs: 5000 }, {}, 'warn'],
    ['statement_timeout', { statementTimeoutMs: 60_000 }, {}, 'ok'],
    ['autovacuum', { autovacuum: 'off' }, {}, 'fail'],
    ['autovacuum', { trackCounts: 'off' }, {}, 'fail'],
  ] as const)('%s with %j %j is %s', ([check, facts, more, level]) => {
    expect(levelOf(check, examine(facts, more))).toBe(level)
  })
})

test.for([
  ['fsync', { fsync: 'off' }, 'fail'],
  ['full_page_writes', { fullPageWrites: 'off' }, 'warn'],
  ['synchronous_commit', { synchronousCommit: 'off' }, 'fail'],
  ['synchronous_commit', { synchronousCommit: 'local' }, 'ok'],
  ['synchronous_commit', { synchronousCommit: 'local', standbyNames: 'a' }, 'warn'],
  ['standbys', { standbys: 2 }, 'warn'],
  ['standbys', { standbys: 2, standbyNames: 'any 1 (a, b)' }, 'ok'],
  ['standbys', { standbys: 0, standbyNames: 'a' }, 'warn'],
] as const)('durability: %s with %j is %s', ([check, facts, level]) => {
  expect(levelOf(check, durabilityChecks({ ...settings, ...facts }))).toBe(level)
})

test.for([
  ['oldest transaction', { oldestMs: 299_000 }, [], 'ok'],
  ['oldest transaction', { oldestMs: 301_000 }, [], 'warn'],
  ['vacuum horizon', { horizonAge: 1000 }, [], 'ok'],
  ['vacuum horizon', { horizonAge: 3_000_000, horizonHolder: 'a slot' }, [], 'warn'],
  ['dead rows', {}, [deadRows(99)], 'ok'],
  ['dead rows', {}, [deadRows(100_000)], 'warn'],
] as const)('vacuum: %s with %j %j is %s', ([check, facts, deadRows, level]) => {
  expect(levelOf(check, vacuumChecks({ ...activity, ...facts }, deadRows))).toBe(level)
})

describe('partitions', () => {
  const nowMs = Date.UTC(2030, 0, 10, 12)
  const from10 = (count: number) => Array.from({ length: count }, (_, i) => `203001${10 + i}`)
  const examine = (complete: string[], partial: string[] = [], detaching = 0) =>
    dayChecks({ complete, partial, detaching }, nowMs)

  test.for([
    ['enough ahead', from10(6), 'ok'],
    ['a gap in the past, when nothing ran', ['20291201', ...from10(6)], 'ok'],
    ['too few ahead', from10(3), 'warn'],
    ['no tomorrow', from10(1), 'fail'],
    ['no today', from10(6).slice(1), 'fail'],
    ['a gap ahead', from10(6).filter((day) => day !== '20300113'), 'fail'],
    ['none', [], 'fail'],
  ] as const)('%s', ([, days, level]) => {
    expect(levelOf('partitions', examine([...days]))).toBe(level)
  })

  test('half-created or half-dropped partitions are reported', () => {
    expect(levelOf('partition upkeep', examine(from10(6), ['20300201']))).toBe('warn')
    expect(levelOf('partition upkeep', examine(from10(6), [], 1))).toBe('warn')
  })
})

test('an incompatible schema fails the migrations check, with the reason', () => {
  const error = new PunctualError('schema_too_new', 'made by a newer Punctual')
  expect(migrationCheck('punctual', error)).toMatchObject({
    level: 'fail',
    found: 'schema_too_new',
    meaning: 'made by a newer Punctual',
  })
})

test('privileges suffice without being a superuser', () => {
  const role = { role: 'app', superuser: false, schemaExists: true, mayUse: true, mayCreate: true }
  const facts: ReadPrivilegesRow = { ...role, tables: 20, unusable: 0, unowned: 0 }
  expect(privilegeCheck('punctual', facts).level).toBe('ok')
  expect(privilegeCheck('punctual', { ...facts, unowned: 1 }).level).toBe('warn')
  expect(privilegeCheck('punctual', { ...facts, mayUse: false }).level).toBe('fail')
  expect(privilegeCheck('punctual', { ...facts, schemaExists: false }).level).toBe('ok')
})
