import { PunctualError } from '@punctual/core/errors'
import { describe, expect, test } from 'vitest'
import { durabilityChecks } from './durability-checks.ts'
import type { Facts, Finding } from './finding.ts'
import { dayChecks, migrationCheck, privilegeCheck } from './schema-checks.ts'
import { serverChecks } from './server-checks.ts'
import { vacuumChecks } from './vacuum-checks.ts'

const settings: Facts = {
  version_num: '180004',
  version: '18.4',
  in_recovery: 'f',
  read_only: 'off',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  standby_names: '',
  standbys: '0',
  autovacuum: 'on',
  track_counts: 'on',
  max_connections: '200',
  reserved: '3',
  max_locks: '256',
  max_prepared: '0',
  statement_timeout_ms: '0',
}

const activity: Facts = {
  connections: '10',
  role_limit: '-1',
  database_limit: '-1',
  oldest_ms: null,
  oldest_pid: null,
  oldest_application: null,
  oldest_state: null,
  horizon_age: null,
  horizon_holder: null,
}

const HISTORY_DAYS = 104

function levelOf(check: string, findings: readonly Finding[]): string | undefined {
  return findings.find((finding) => finding.check === check)?.level
}

describe('the server', () => {
  const examine = (facts: Partial<Facts>, more: Partial<Facts> = {}) =>
    serverChecks(
      { ...settings, ...facts } as Facts,
      { ...activity, ...more } as Facts,
      HISTORY_DAYS,
    )

  test('has no findings when it is configured well', () => {
    expect(new Set(examine({}).map(({ level }) => level))).toEqual(new Set(['ok']))
  })

  test.for([
    ['version', { version_num: '140012' }, {}, 'fail'],
    ['version', { version_num: '150000' }, {}, 'ok'],
    ['version', { version_num: '190000' }, {}, 'warn'],
    ['writable', { in_recovery: 't' }, {}, 'fail'],
    ['writable', { read_only: 'on' }, {}, 'fail'],
    ['connections', { max_connections: '30' }, {}, 'warn'],
    ['connections', {}, { role_limit: '25' }, 'warn'],
    ['connections', {}, { database_limit: '39' }, 'warn'],
    ['connections', {}, { database_limit: '40' }, 'ok'],
    ['locks', { max_locks: '64', max_connections: '100' }, {}, 'warn'],
    ['statement_timeout', { statement_timeout_ms: '5000' }, {}, 'warn'],
    ['statement_timeout', { statement_timeout_ms: '60000' }, {}, 'ok'],
    ['autovacuum', { autovacuum: 'off' }, {}, 'fail'],
    ['autovacuum', { track_counts: 'off' }, {}, 'fail'],
  ] as const)('%s with %j %j is %s', ([check, facts, more, level]) => {
    expect(levelOf(check, examine(facts, more))).toBe(level)
  })
})

test.for([
  ['fsync', { fsync: 'off' }, 'fail'],
  ['full_page_writes', { full_page_writes: 'off' }, 'warn'],
  ['synchronous_commit', { synchronous_commit: 'off' }, 'fail'],
  ['synchronous_commit', { synchronous_commit: 'local' }, 'ok'],
  ['synchronous_commit', { synchronous_commit: 'local', standby_names: 'a' }, 'warn'],
  ['standbys', { standbys: '2' }, 'warn'],
  ['standbys', { standbys: '2', standby_names: 'any 1 (a, b)' }, 'ok'],
  ['standbys', { standbys: '0', standby_names: 'a' }, 'warn'],
] as const)('durability: %s with %j is %s', ([check, facts, level]) => {
  expect(levelOf(check, durabilityChecks({ ...settings, ...facts }))).toBe(level)
})

test.for([
  ['oldest transaction', { oldest_ms: '299000' }, [], 'ok'],
  ['oldest transaction', { oldest_ms: '301000' }, [], 'warn'],
  ['vacuum horizon', { horizon_age: '1000' }, [], 'ok'],
  ['vacuum horizon', { horizon_age: '3000000', horizon_holder: 'a slot' }, [], 'warn'],
  ['dead rows', {}, [{ name: 'queue', dead: '99' }], 'ok'],
  ['dead rows', {}, [{ name: 'queue', dead: '100000' }], 'warn'],
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
  const role = { role: 'app', superuser: 'f', schema_exists: 't', may_use: 't', may_create: 't' }
  const facts = { ...role, tables: '20', unusable: '0', unowned: '0' }
  expect(privilegeCheck('punctual', facts).level).toBe('ok')
  expect(privilegeCheck('punctual', { ...facts, unowned: '1' }).level).toBe('warn')
  expect(privilegeCheck('punctual', { ...facts, may_use: 'f' }).level).toBe('fail')
  expect(privilegeCheck('punctual', { ...facts, schema_exists: 'f' }).level).toBe('ok')
})
