/** Checks whether vacuum keeps up: what holds it back, and how many dead rows remain. */
import { type Facts, type Finding, ok, warn } from './finding.ts'

const TRANSACTION_MAX_MS = 300_000
const HORIZON_MAX = 2_000_000
const DEAD_MAX = 100_000

export function vacuumChecks(activity: Facts, deadRows: readonly Facts[]): Finding[] {
  return [
    oldestTransaction(activity),
    horizon(activity),
    ...(deadRows.length > 0 ? [dead(deadRows)] : []),
  ]
}

function oldestTransaction(activity: Facts): Finding {
  const check = 'oldest transaction'
  if (activity.oldest_ms === null) return ok(check, 'none open', 'Vacuum is not held back.')
  const seconds = Math.round(Number(activity.oldest_ms) / 1_000)
  const found = `${seconds} s (pid ${activity.oldest_pid}, ${activity.oldest_application || 'unnamed'}, ${activity.oldest_state})`
  if (Number(activity.oldest_ms) < TRANSACTION_MAX_MS) return ok(check, found, 'Short enough.')
  return warn(
    check,
    found,
    'While it is open, vacuum cannot remove dead rows. Claims stay fast, but tables grow.',
    `End it: select pg_terminate_backend(${activity.oldest_pid}). Set idle_in_transaction_session_timeout.`,
  )
}

function horizon({ horizon_age, horizon_holder }: Facts): Finding {
  const check = 'vacuum horizon'
  if (horizon_age === null) return ok(check, 'free', 'Nothing holds it back.')
  const found = `${horizon_age} transactions behind (${horizon_holder})`
  if (Number(horizon_age) < HORIZON_MAX) return ok(check, found, 'Recent enough.')
  return warn(
    check,
    found,
    'Vacuum cannot remove rows that died since then.',
    `End or drop ${horizon_holder}.`,
  )
}

function dead(tables: readonly Facts[]): Finding {
  const worst = tables[0] as Facts
  const found = tables.map(({ name, dead }) => `${name} ${dead}`).join(', ')
  if (Number(worst.dead) < DEAD_MAX) return ok('dead rows', found, 'Vacuum keeps up.')
  return warn(
    'dead rows',
    found,
    `Vacuum does not keep up with ${worst.name} (last: ${worst.last_vacuum ?? 'never'}).`,
    'End the old transaction, if one is reported above. Otherwise give autovacuum more workers.',
  )
}
