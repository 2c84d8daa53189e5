/** Hints cut the rests of roles short. */
import { type Role, type RoleLoop, WakeLimit } from '@punctual/engine'
import { type PostgresStore, systemClock } from '@punctual/store'

/** How often sessions with short leases, which tenants open, wake the reaper. */
const LEASES_EVERY_MS = 1_000

export function wakeByHints(
  { name }: Role,
  loop: RoleLoop,
  signals: PostgresStore['signals'],
): void {
  if (name === 'planner') signals.onHint(({ jobs }) => jobs && loop.wake())
  if (name === 'group-finisher') signals.onHint(({ groups }) => groups && loop.wake())
  if (name !== 'reaper') return
  const limit = new WakeLimit(systemClock, LEASES_EVERY_MS, () => loop.wake())
  signals.onHint(({ leases }) => leases && limit.hint())
}
