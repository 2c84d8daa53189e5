/** Checks that Punctual supports the server and that the server has enough capacity. */

import { type Finding, fail, ok, warn } from './finding.ts'
import { CONNECTIONS_OF_A_NODE } from './judge-guarantees.ts'
import type { ReadActivityRow, ReadSettingsRow } from './statements.gen.ts'

const TIMEOUT_MIN_MS = 30_000
/** How many statements may lock all partitions at the same time. */
const LOCKERS = 20
const HISTORY_TABLES = 4

export function serverChecks(
  facts: ReadSettingsRow,
  activity: ReadActivityRow,
  historyDays: number,
): Finding[] {
  return [
    version(facts),
    writable(facts),
    connections(facts, activity),
    locks(facts, historyDays),
    statementTimeout(facts),
    autovacuum(facts),
  ]
}

function version({ versionNum, version }: ReadSettingsRow): Finding {
  const major = Math.floor(versionNum / 10_000)
  const found = `PostgreSQL ${version}`
  if (major < 15)
    return fail('version', found, 'Punctual needs 15 or later.', 'Upgrade the server to 15-18.')
  if (major > 18)
    return warn('version', found, 'Punctual was tested with 15 to 18.', 'Upgrade Punctual as well.')
  return ok('version', found, 'Supported (15 to 18).')
}

function writable({ inRecovery, readOnly }: ReadSettingsRow): Finding {
  if (inRecovery)
    return fail(
      'writable',
      'a standby',
      'Nothing can be submitted, claimed or settled here.',
      'Set DATABASE_URL to the primary, or to all hosts separated by commas: Punctual finds the primary.',
    )
  if (readOnly === 'on')
    return fail(
      'writable',
      'read-only transactions',
      'Nothing can be submitted, claimed or settled with this role or database.',
      'Unset default_transaction_read_only for this role and database.',
    )
  return ok('writable', 'the primary', 'It accepts writes.')
}

/** The connection limit for this role and database, and how much of it is free. */
export function freeConnections(
  facts: ReadSettingsRow,
  activity: ReadActivityRow,
): { most: number; free: number } {
  const slots = facts.maxConnections - facts.reserved
  const caps = [activity.roleLimit, activity.databaseLimit].filter((cap) => cap >= 0)
  const most = Math.min(slots, ...caps)
  return { most, free: most - activity.connections }
}

function connections(facts: ReadSettingsRow, activity: ReadActivityRow): Finding {
  const { most, free } = freeConnections(facts, activity)
  const found = `${activity.connections} of ${most} in use`
  if (free >= CONNECTIONS_OF_A_NODE) return ok('connections', found, `${free} are free.`)
  return warn(
    'connections',
    found,
    `${free} are free; a busy node opens up to ${CONNECTIONS_OF_A_NODE}.`,
    'Raise max_connections (or the limit of the role or database), or connect through PgBouncer.',
  )
}

function locks({ maxLocks, maxConnections, maxPrepared }: ReadSettingsRow, days: number): Finding {
  const capacity = maxLocks * (maxConnections + maxPrepared)
  const need = days * HISTORY_TABLES * LOCKERS
  const found = `max_locks_per_transaction = ${maxLocks}, ${capacity} locks in total`
  if (capacity >= need) return ok('locks', found, `Enough for ${days} days of history.`)
  const perTransaction = Math.ceil(need / maxConnections / 64) * 64
  return warn(
    'locks',
    found,
    `With ${days} days of history a statement may lock ${days * HISTORY_TABLES} tables. ${LOCKERS} such statements at the same time exceed the limit and fail.`,
    `Set max_locks_per_transaction = ${perTransaction} and restart the server.`,
  )
}

function statementTimeout({ statementTimeoutMs: ms }: ReadSettingsRow): Finding {
  if (ms === 0) return ok('statement_timeout', 'none', 'Punctual sets its own timeouts.')
  const found = `${ms} ms`
  if (ms >= TIMEOUT_MIN_MS) return ok('statement_timeout', found, 'Long enough for Punctual.')
  return warn(
    'statement_timeout',
    found,
    'Migrations and partition upkeep may be cancelled by it, and are then retried.',
    `Set it to 0 or to at least ${TIMEOUT_MIN_MS} ms for this role.`,
  )
}

function autovacuum({ autovacuum: found, trackCounts }: ReadSettingsRow): Finding {
  if (found === 'on' && trackCounts === 'on')
    return ok('autovacuum', 'on', 'Dead rows of the queue are removed.')
  return fail(
    'autovacuum',
    found === 'on' ? 'on, but track_counts is off' : 'off',
    'Dead rows pile up: claims become slower and slower, and in the end the server stops accepting writes.',
    'Set autovacuum = on and track_counts = on.',
  )
}
