/** `jobs.backfill`: runs the slots of a range that have not run. */
import { type Instant, instantOf, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import type { BackfillResult } from '@punctual/core/job'
import type { WriteScope } from '../audit/control-writes.ts'
import { checkedOptions } from '../tenants/checked-options.ts'
import { needJob } from './find-job.ts'

const DAY_MS = 86_400_000

/** The past slots to run, and at which pace. */
export interface BackfillOptions {
  /** Start of the range, inclusive. */
  from: Instant
  /** End of the range, exclusive. The range may contain up to 100,000 slots. */
  to: Instant
  /** Delay between the due times of two runs, in ms, up to one day. @default 0 */
  paceMs?: number
}

/** Records the request before the first slot is decided, and its counts at the end. */
export function backfill(
  scope: WriteScope,
  nameOrId: string,
  options: BackfillOptions,
): Promise<BackfillResult> {
  const entry = {
    action: 'job.backfill',
    target: { kind: 'job', id: null, name: String(nameOrId) },
    request: options,
    summarise: (result: BackfillResult) => result,
  }
  return scope.writes.recordMany(scope.tenantId, entry, () => runSlots(scope, nameOrId, options))
}

async function runSlots(
  { store, tenantId }: WriteScope,
  nameOrId: string,
  options: BackfillOptions,
): Promise<BackfillResult> {
  checkedOptions(options, ['from', 'to', 'paceMs'])
  const { id } = await needJob(store, nameOrId, tenantId)
  const fromMs = instantOf('from', options.from)
  const nowMs = Math.floor(store.database.clock.nowMs())
  const toMs = Math.min(instantOf('to', options.to), nowMs)
  if (toMs <= fromMs) refuseOption('to', 'later than from, and from in the past', options.to)
  const { paceMs = 0 } = options
  if (!Number.isInteger(paceMs) || paceMs < 0 || paceMs > DAY_MS)
    refuseOption('paceMs', 'an integer of milliseconds, up to a day', paceMs)
  const { slots, steering } = store.schedules
  const untilMs = Math.min(toMs - 1, await steering.decidePassed(id, tenantId))
  const job = await needJob(store, id, tenantId)
  const wanted = slots.backfillable(job, fromMs, untilMs, limits.slotsPerBackfill + 1)
  if (wanted.length > limits.slotsPerBackfill)
    refuseOption('from', `a range of at most ${limits.slotsPerBackfill} slots`, options.from)
  const ran = await slots.ran(job, wanted)
  return steering.backfill(id, wanted, ran, paceMs, tenantId)
}
