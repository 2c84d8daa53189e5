/** Checks the schema: migrations, primary keys, partitions, privileges and row security. */
import { PunctualError } from '@punctual/core/errors'
import { DAY_MS, dayName, dayStart } from '../connection/day-names.ts'
import type { MigrationStatus } from '../schema/migrations.ts'
import { keyRepair, shownKeys } from '../schema/primary-keys.ts'
import type { RowSecurityFacts } from '../tenants/row-security.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import type { ReadPrivilegesRow } from './statements.gen.ts'

const DAYS_AHEAD_MIN = 3
const MIGRATE = 'Run `punctual migrate`.'

export function migrationCheck(schema: string, status: MigrationStatus | PunctualError): Finding {
  if (status instanceof PunctualError)
    return fail(
      'migrations',
      status.code,
      status.message,
      'Use the Punctual version that this schema belongs to.',
    )
  const { applied, pending } = status
  if (applied.length === 0)
    return fail('migrations', 'none', `Punctual is not installed in schema ${schema}.`, MIGRATE)
  if (pending.length > 0)
    return fail(
      'migrations',
      `${pending.length} missing`,
      'This version of Punctual needs them.',
      MIGRATE,
    )
  return ok('migrations', `${applied.length} applied`, `Schema ${schema} is up to date.`)
}

export function keyCheck(schema: string, broken: readonly string[]): Finding {
  const check = 'primary keys'
  if (broken.length === 0) return ok(check, 'all valid', 'Duplicate slots and runs are impossible.')
  return fail(
    check,
    `missing or invalid: ${shownKeys(broken)}`,
    'Slots could be planned twice and runs could run twice. Nodes refuse to start.',
    keyRepair(schema, broken),
  )
}

export interface Days {
  readonly complete: readonly string[]
  readonly partial: readonly string[]
  readonly detaching: number
}

export function dayChecks({ complete, partial, detaching }: Days, nowMs: number): Finding[] {
  const days = new Set(complete)
  const last = [...complete].sort().at(-1)
  const missing: string[] = []
  for (let ms = dayStart(nowMs); ms <= nowMs + DAY_MS || dayName(ms) <= (last ?? ''); ms += DAY_MS)
    if (!days.has(dayName(ms))) missing.push(dayName(ms))
  let ahead = 0
  while (days.has(dayName(nowMs + (ahead + 1) * DAY_MS))) ahead++
  return [coming(missing, ahead, complete.length), leftovers(partial, detaching)]
}

function coming(missing: readonly string[], ahead: number, total: number): Finding {
  const check = 'partitions'
  if (missing.length > 0)
    return fail(
      check,
      `missing: ${missing.slice(0, 5).join(', ')}`,
      'Runs due on these days can be neither accepted nor settled.',
      `${MIGRATE} Keep a node with the janitor role running.`,
    )
  const found = `${total}, ${ahead} ahead`
  if (ahead >= DAYS_AHEAD_MIN)
    return ok(check, found, 'Partitions exist for today and the coming days.')
  return warn(
    check,
    found,
    'No janitor creates new partitions; once they run out, submissions fail.',
    'Run a node with the janitor role (`punctual start`), or run `punctual migrate` every few days.',
  )
}

function leftovers(partial: readonly string[], detaching: number): Finding {
  const check = 'partition upkeep'
  if (partial.length === 0 && detaching === 0)
    return ok(check, 'complete', 'No partition is half created or half dropped.')
  return warn(
    check,
    `${partial.length} incomplete, ${detaching} being detached`,
    'Creating or dropping the partitions of a day was interrupted.',
    'The janitor finishes this within an hour. If it does not, read its log.',
  )
}

export function privilegeCheck(schema: string, facts: ReadPrivilegesRow): Finding {
  const check = 'privileges'
  const role = `role ${facts.role}`
  if (!facts.schemaExists)
    return ok(
      check,
      role,
      'The schema does not exist yet; `punctual migrate` shows whether this role can create it.',
    )
  if (!facts.mayUse || facts.unusable > 0)
    return fail(
      check,
      `${role}, no access to ${facts.unusable} of ${facts.tables} tables`,
      'Punctual must be able to read and write all of its tables.',
      `As the owner: grant usage on schema ${schema} to ${facts.role}; grant select, insert, update, delete on all tables in schema ${schema} to ${facts.role};`,
    )
  if (!facts.mayCreate || facts.unowned > 0)
    return warn(
      check,
      `${role}, which does not own the schema`,
      'It can submit and execute runs, but cannot migrate, or create and drop partitions.',
      'Run one node with the janitor role as the owner, or make this role a member of the owner.',
    )
  const note = facts.superuser ? ' (superuser, which is not needed)' : ''
  return ok(check, `${role}${note}`, 'It owns the schema and all tables.')
}

const ROW_SECURITY_MISSING = {
  no_role: 'the tenant role is missing',
  not_a_member: 'this role is not a member of the tenant role',
  login_not_granted: 'the user that logged in reads the tables only as the tenant role',
  role_too_strong: 'the tenant role may log in, create roles or bypass row security',
  table_open: 'a table with tenant rows has no policy',
  table_closed: 'a table with tenant rows has no policy, and is out of reach of tenants',
} as const

/** Row security backs up the predicates of the queries: docs/concepts/tenant-isolation.md. */
export function rowSecurityCheck(schema: string, { state, required }: RowSecurityFacts): Finding {
  const check = 'row security'
  const role = `${schema}_tenant`
  if (state === 'up')
    return ok(check, `tenant requests run as ${role}`, 'PostgreSQL policies separate tenants.')
  const found = ROW_SECURITY_MISSING[state]
  if (state === 'table_closed')
    return warn(
      check,
      found,
      'Requests of tenants that name the table fail; all others are answered.',
      'Run a node with the janitor role as the owner, or `punctual migrate`.',
    )
  const advice = `As a superuser: create role ${role} nologin; grant ${role} to the role that Punctual connects as. Then run \`punctual migrate\` as the owner.`
  if (required)
    return fail(
      check,
      found,
      'This installation requires row security: processes with this database URL refuse the requests of tenants (`row_security_missing`).',
      `${advice} To do without it: delete from ${schema}.row_security.`,
    )
  return warn(
    check,
    found,
    'Tenants are separated only by the predicates of the queries. A query without one would show the rows of all tenants.',
    advice,
  )
}
