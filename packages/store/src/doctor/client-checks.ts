/** Checks how this process reaches the server: clock, pooler, prepared statements. */
import type { Database } from '../connection/database.ts'
import { type Finding, ok, warn } from './finding.ts'

const SKEW_MAX_MS = 1_000

export function clientChecks(database: Database): Finding[] {
  return [clock(database.clock.skewMs), pooling(database), statements(database)]
}

function clock(skewMs: number): Finding {
  const found = `${skewMs >= 0 ? '+' : ''}${Math.round(skewMs)} ms from the database`
  if (Math.abs(skewMs) <= SKEW_MAX_MS) return ok('clock', found, 'The clocks agree.')
  return warn(
    'clock',
    found,
    "Due times and leases follow the database's clock, so nothing is lost, but times shown on this machine are off.",
    'Run NTP (chrony, systemd-timesyncd) on both machines.',
  )
}

function pooling({ pooled }: Database): Finding {
  if (!pooled) return ok('pooling', 'direct', 'Hints arrive, so runs start within milliseconds.')
  return warn(
    'pooling',
    'through a pooler',
    'LISTEN does not work through it: workers find new runs by polling, up to a second later.',
    'If that matters, give workers a direct DATABASE_URL. Everything else works through the pooler.',
  )
}

function statements({ prepared, pooled }: Database): Finding {
  const check = 'prepared statements'
  if (prepared && pooled)
    return warn(
      check,
      'named, through a pooler',
      'PgBouncer before 1.21, or without max_prepared_statements, refuses them.',
      'Leave preparedStatements at auto, unless your pooler supports named statements.',
    )
  if (prepared) return ok(check, 'named', 'The server reuses their plans.')
  const why = pooled ? 'A pooler was detected.' : 'Named statements are switched off.'
  return ok(check, 'unnamed', `${why} Each statement is planned again, at some cost in throughput.`)
}
