/** Whether the schema is complete: migrations, the days of history, and the right to work with them. */
import { PunctualError } from '@punctual/core/errors'
import type { RowSecurityState } from '@punctual/core/ports'
import { DAY_MS, dayName, dayStart } from '../connection/day-names.ts'
import type { MigrationStatus } from '../schema/migrations.ts'
import { keyRepair, shownKeys } from '../schema/primary-keys.ts'
import { type Facts, type Finding, fail, ok, warn } from './finding.ts'

const DAYS_AHEAD_MIN = 3
const MIGRATE = 'Run `punctual migrate`.'

export function migrationCheck(schema: string, status: MigrationStatus | PunctualError): Finding {
  if (status instanceof PunctualError)
    return fail(
      'migrations',
      status.code,
      status.message,
      'Use the version that belongs to this schema.',
    )
  const { applied, pending } = status
  if (applied.length === 0)
    return fail('migrations', 'none', `There is no Punctual in the schema ${schema}.`, MIGRATE)
  if (pending.length > 0)
    return fail('migrations', `${pending.length} missing`, 'This version needs them.', MIGRATE)
  return ok('migrations', `${applied.length} applied`, `The schema ${schema} is up to date.`)
}

export function keyCheck(schema: string, broken: readonly string[]): Finding {
  const check = 'keys'
  if (broken.length === 0) return ok(check, 'all valid', 'Nothing can be there twice.')
  return fail(
    check,
    `missing or invalid: ${shownKeys(broken)}`,
    'Slots or runs could happen twice. Nodes refuse to start.',
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
  const check = 'days of history'
  if (missing.length > 0)
    return fail(
      check,
      `missing: ${missing.slice(0, 5).join(', ')}`,
      'Runs due on these days cannot be accepted or settled.',
      `${MIGRATE} Keep a node with the janitor role running.`,
    )
  const found = `${total}, ${ahead} ahead`
  if (ahead >= DAYS_AHEAD_MIN)
    return ok(check, found, 'Today, tomorrow and after have their place.')
  return warn(
    check,
    found,
    'Nobody makes new days: soon nothing more can be accepted.',
    'Run a node with the janitor role (`punctual start`), or `punctual migrate` every few days.',
  )
}

function leftovers(partial: readonly string[], detaching: number): Finding {
  const check = 'unfinished days'
  if (partial.length === 0 && detaching === 0) return ok(check, 'none', 'Upkeep finished its work.')
  return warn(
    check,
    `${partial.length} incomplete, ${detaching} being detached`,
    'Making or dropping a day was interrupted.',
    'The janitor finishes it within the hour; if it does not, look at its log.',
  )
}

export function privilegeCheck(schema: string, facts: Facts): Finding {
  const check = 'privileges'
  const role = `role ${facts.role}`
  if (facts.schema_exists !== 't')
    return ok(
      check,
      role,
      'The schema does not exist yet; `punctual migrate` shows if it can be made.',
    )
  if (facts.may_use !== 't' || Number(facts.unusable) > 0)
    return fail(
      check,
      `${role}, ${facts.unusable} of ${facts.tables} tables closed to it`,
      'Punctual cannot work with tables that it may not read and write.',
      `grant usage on schema ${schema}; grant select, insert, update, delete on all tables in schema ${schema}.`,
    )
  if (facts.may_create !== 't' || Number(facts.unowned) > 0)
    return warn(
      check,
      `${role}, which does not own the schema`,
      'It can submit and run, but not migrate, nor make and drop the days of history.',
      'Run one node with the janitor role as the owner, or make this role a member of it.',
    )
  const note = facts.superuser === 't' ? ' (superuser, which is not needed)' : ''
  return ok(check, `${role}${note}`, 'It owns what it needs to own.')
}

const WALL_MISSING = {
  no_role: 'the role is not there',
  not_a_member: 'this role may not work as it',
  role_too_strong: 'the role may log in, or passes by policies',
  table_open: 'a table with rows of tenants has no policy',
} as const

/** The second wall between tenants: docs/concepts/tenant-isolation.md. */
export function wallCheck(schema: string, state: RowSecurityState): Finding {
  const check = 'tenant wall'
  const role = `${schema}_tenant`
  if (state === 'up')
    return ok(check, `requests of tenants run as ${role}`, 'Row security keeps tenants apart.')
  return warn(
    check,
    WALL_MISSING[state],
    'Tenants are kept apart by the predicates of the statements only; no row security stands behind them.',
    `As a superuser: create role ${role} nologin; grant ${role} to the role that Punctual connects as. Then run \`punctual migrate\` as the owner.`,
  )
}
