/** The changes that `punctual.runs` makes to all runs that a filter selects. */
import { checkText, integer, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import type { BulkResult, RunFilter } from '@punctual/core/run'
import type { WriteScope } from '../audit/control-writes.ts'
import { type BulkOptions, checkBulkOptions, steerMany } from './bulk.ts'

const RUN_AT_MAX = 253_402_300_799_999

/** Options of `cancelMany`. */
export interface CancelManyOptions extends BulkOptions {
  /** Stored with the runs, up to 256 characters. @default 'cancelled' */
  reason?: string
}

export function runAtMs(runAt: unknown): number {
  const ms = runAt instanceof Date ? runAt.getTime() : Number.NaN
  if (ms >= 0 && ms <= RUN_AT_MAX) return ms
  return refuseOption('runAt', 'a Date between the years 1970 and 9999', runAt)
}

export function priorityOf(priority: unknown): number {
  return integer('priority', priority, limits.priorityMin, limits.priorityMax)
}

export async function cancelMany(
  { store, tenantId }: WriteScope,
  filter: RunFilter,
  options: CancelManyOptions,
): Promise<BulkResult<'cancelled' | 'cancelling' | 'already_finished'>> {
  const { reason = 'cancelled' } = checkBulkOptions(options, ['reason'])
  checkText('reason', reason, limits.createdByLength)
  return steerMany(store, tenantId, filter, options, {
    verb: 'cancel',
    answers: ['cancelled', 'cancelling', 'already_finished'],
    change: async (ids) => {
      const answers = await store.steering.cancel(ids, reason, tenantId)
      return (id) => answers.get(id) ?? 'already_finished'
    },
  })
}

export async function promoteMany(
  { store, tenantId }: WriteScope,
  filter: RunFilter,
  options: BulkOptions,
): Promise<BulkResult<'promoted' | 'missed'>> {
  checkBulkOptions(options, [])
  return steerMany(store, tenantId, filter, options, {
    verb: 'promote',
    answers: ['promoted', 'missed'],
    change: async (ids) => {
      const moved = await store.steering.reschedule(ids, null, tenantId)
      return (id) => (moved.has(id) ? 'promoted' : 'missed')
    },
  })
}

export async function rescheduleMany(
  { store, tenantId }: WriteScope,
  filter: RunFilter,
  runAt: Date,
  options: BulkOptions,
): Promise<BulkResult<'rescheduled' | 'missed'>> {
  checkBulkOptions(options, [])
  const dueMs = runAtMs(runAt)
  return steerMany(store, tenantId, filter, options, {
    verb: 'reschedule',
    answers: ['rescheduled', 'missed'],
    change: async (ids) => {
      const moved = await store.steering.reschedule(ids, dueMs, tenantId)
      return (id) => (moved.has(id) ? 'rescheduled' : 'missed')
    },
  })
}

export async function reprioritiseMany(
  { store, tenantId }: WriteScope,
  filter: RunFilter,
  priority: number,
  options: BulkOptions,
): Promise<BulkResult<'reprioritised' | 'missed'>> {
  checkBulkOptions(options, [])
  priorityOf(priority)
  return steerMany(store, tenantId, filter, options, {
    verb: 'reprioritise',
    answers: ['reprioritised', 'missed'],
    change: async (ids) => {
      const moved = await store.steering.reprioritise(ids, priority, tenantId)
      return (id) => (moved.has(id) ? 'reprioritised' : 'missed')
    },
  })
}
