/** Checks whether vacuum keeps up: what holds it back, and how many dead rows remain. */
import { type Finding, ok, warn } from './finding.ts'
import type { ListDeadRowsRow, ReadActivityRow } from './statements.gen.ts'

const TRANSACTION_MAX_MS = 300_000
const HORIZON_MAX = 2_000_000
const DEAD_MAX = 100_000

export function vacuumChecks(
  activity: ReadActivityRow,
  deadRows: readonly ListDeadRowsRow[],
): Finding[] {
  const [worst] = deadRows
  return [
    oldestTransaction(activity),
    horizon(activity),
    ...(worst === undefined ? [] : [dead(deadRows, worst)]),
  ]
}

function oldestTransaction(activity: ReadActivityRow): Finding {
  const check = 'oldest transaction'
  const { oldestMs, oldestPid } = activity
  if (oldestMs === null) return ok(check, 'none open', 'Vacuum is not held back.')
  const seconds = Math.round(oldestMs / 1_000)
  const found = `${seconds} s (pid ${oldestPid}, ${activity.oldestApplication || 'unnamed'}, ${activity.oldestState})`
  if (oldestMs < TRANSACTION_MAX_MS) return ok(check, found, 'Short enough.')
  return warn(
    check,
    found,
    'While it is open, vacuum cannot remove dead rows. Claims stay fast, but tables grow.',
    `End it: select pg_terminate_backend(${oldestPid}). Set idle_in_transaction_session_timeout.`,
  )
}

function horizon({ horizonAge, horizonHolder }: ReadActivityRow): Finding {
  const check = 'vacuum horizon'
  if (horizonAge === null) return ok(check, 'free', 'Nothing holds it back.')
  const found = `${horizonAge} transactions behind (${horizonHolder})`
  if (horizonAge < HORIZON_MAX) return ok(check, found, 'Recent enough.')
  return warn(
    check,
    found,
    'Vacuum cannot remove rows that died since then.',
    `End or drop ${horizonHolder}.`,
  )
}

/** The table with the most dead rows is the worst. */
function dead(tables: readonly ListDeadRowsRow[], worst: ListDeadRowsRow): Finding {
  const found = tables.map(({ name, dead }) => `${name} ${dead}`).join(', ')
  if (worst.dead < DEAD_MAX) return ok('dead rows', found, 'Vacuum keeps up.')
  return warn(
    'dead rows',
    found,
    `Vacuum does not keep up with ${worst.name} (last: ${worst.lastVacuum ?? 'never'}).`,
    'End the old transaction, if one is reported above. Otherwise give autovacuum more workers.',
  )
}
