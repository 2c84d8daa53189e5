/**
 * The lifecycle as data. Each row is one guarded statement of the store: it deletes the run from
 * the place it leaves and inserts the successor only from what was deleted, so a run is in exactly
 * one place. A run that has ended stays where it is; only an unknown run may be resolved later. A
 * test walks this table against the real database, and the chart in docs/concepts/lifecycle.md is
 * generated from it.
 */
export type Place = 'nowhere' | 'later' | 'queue' | 'parked' | 'leases' | 'outcomes'

export interface Transition {
  readonly event: string
  readonly from: readonly Place[]
  readonly to: Place
  readonly by: 'client' | 'planner' | 'promoter' | 'worker' | 'reaper' | 'attendant'
  readonly when: string
}

/**
 * Rows of a change that keeps the run in its place; the run leaves it briefly, so that no claim
 * takes its old version.
 */
function steered<Event extends string>(event: Event, when: string) {
  return [
    { event, from: ['later'], to: 'later', by: 'client', when },
    { event, from: ['queue'], to: 'queue', by: 'client', when },
    { event, from: ['parked'], to: 'parked', by: 'client', when },
  ] as const
}

export const transitions = [
  {
    event: 'submit',
    from: ['nowhere'],
    to: 'queue',
    by: 'client',
    when: 'it is due within the horizon',
  },
  {
    event: 'defer',
    from: ['nowhere'],
    to: 'later',
    by: 'client',
    when: 'it is due beyond the horizon',
  },
  {
    event: 'wait',
    from: ['nowhere'],
    to: 'parked',
    by: 'client',
    when: 'it is due and its concurrency key is used up',
  },
  {
    event: 'plan',
    from: ['nowhere'],
    to: 'queue',
    by: 'planner',
    when: 'a slot of its job is near',
  },
  {
    event: 'trigger',
    from: ['nowhere'],
    to: 'queue',
    by: 'client',
    when: 'a caller requested a run of its job now',
  },
  {
    event: 'backfill',
    from: ['nowhere'],
    to: 'queue',
    by: 'client',
    when: 'a caller requested a backfill of its slot, and its turn is near',
  },
  {
    event: 'backfill',
    from: ['nowhere'],
    to: 'later',
    by: 'client',
    when: 'a caller requested a backfill of its slot, and its turn is far',
  },
  {
    event: 'replay',
    from: ['nowhere'],
    to: 'queue',
    by: 'client',
    when: 'a caller requested to repeat a dead or unknown run',
  },
  {
    event: 'promote',
    from: ['later'],
    to: 'queue',
    by: 'promoter',
    when: 'its due time enters the horizon',
  },
  {
    event: 'claim',
    from: ['queue'],
    to: 'leases',
    by: 'worker',
    when: 'it is due and a worker has its handler',
  },
  {
    event: 'park',
    from: ['queue'],
    to: 'parked',
    by: 'worker',
    when: 'it is due, and another run of its job is running or its concurrency key is used up',
  },
  {
    event: 'release',
    from: ['parked'],
    to: 'queue',
    by: 'worker',
    when: 'no other run of its job is running, or its concurrency key has a free place',
  },
  {
    event: 'delay',
    from: ['queue'],
    to: 'queue',
    by: 'worker',
    when: 'it is due, and its rate is used up or its claim fails on a stored value: it is due again later',
  },
  {
    event: 'skip',
    from: ['parked'],
    to: 'outcomes',
    by: 'worker',
    when: 'another run of its job is running, and it may not wait',
  },
  {
    event: 'expire',
    from: ['leases'],
    to: 'outcomes',
    by: 'worker',
    when: 'it would start, and its expiry time has passed',
  },
  {
    event: 'supersede',
    from: ['leases', 'parked', 'queue', 'later'],
    to: 'outcomes',
    by: 'worker',
    when: 'a newer run of its job replaces it',
  },
  {
    event: 'return',
    from: ['leases'],
    to: 'queue',
    by: 'worker',
    when: 'it was claimed and will not be started',
  },
  {
    event: 'succeed',
    from: ['leases'],
    to: 'outcomes',
    by: 'worker',
    when: 'the handler returned',
  },
  {
    event: 'retry',
    from: ['leases'],
    to: 'queue',
    by: 'worker',
    when: 'the attempt failed, attempts are left, and the next one is near',
  },
  {
    event: 'postpone',
    from: ['leases'],
    to: 'later',
    by: 'worker',
    when: 'the attempt failed, attempts are left, and the next one is far',
  },
  {
    event: 'die',
    from: ['leases'],
    to: 'outcomes',
    by: 'worker',
    when: 'the attempt failed and no attempt is left',
  },
  {
    event: 'cancel',
    from: ['leases'],
    to: 'outcomes',
    by: 'worker',
    when: 'it was asked to end, and its handler stopped, failed or was not called',
  },
  {
    event: 'await',
    from: ['leases'],
    to: 'leases',
    by: 'worker',
    when: 'its target accepted the work and reports the outcome later',
  },
  {
    event: 'doubt',
    from: ['leases'],
    to: 'outcomes',
    by: 'worker',
    when: 'it must not run twice, and nobody knows what its target did',
  },
  {
    event: 'report',
    from: ['leases'],
    to: 'outcomes',
    by: 'client',
    when: 'its target reported that it succeeded, or that it failed and is not to be retried',
  },
  {
    event: 'report',
    from: ['queue', 'later'],
    to: 'outcomes',
    by: 'client',
    when: 'it waits for another attempt, and the target of one that ended in silence reports a success',
  },
  {
    event: 'report',
    from: ['leases'],
    to: 'queue',
    by: 'client',
    when: 'its target reported that it failed, attempts are left, and the next one is near',
  },
  {
    event: 'report',
    from: ['leases'],
    to: 'later',
    by: 'client',
    when: 'its target reported that it failed, attempts are left, and the next one is far',
  },
  {
    event: 'overdue',
    from: ['leases'],
    to: 'outcomes',
    by: 'attendant',
    when: 'its target did not report in time',
  },
  {
    event: 'reap',
    from: ['leases'],
    to: 'queue',
    by: 'reaper',
    when: 'its session is gone and it may run again',
  },
  {
    event: 'quarantine',
    from: ['leases'],
    to: 'outcomes',
    by: 'reaper',
    when: 'its session is gone, and it crashed too many workers or must not be retried',
  },
  {
    event: 'lose',
    from: ['leases'],
    to: 'outcomes',
    by: 'reaper',
    when: 'its session is gone and it must not run twice',
  },
  {
    event: 'abandon',
    from: ['leases'],
    to: 'outcomes',
    by: 'reaper',
    when: 'its session is gone, and it was asked to end',
  },
  {
    event: 'cancel',
    from: ['later', 'queue', 'parked'],
    to: 'outcomes',
    by: 'client',
    when: 'it has not started',
  },
  {
    event: 'recall',
    from: ['leases'],
    to: 'outcomes',
    by: 'client',
    when: 'it awaits the report of its target, and a caller cancels it',
  },
  {
    event: 'withdraw',
    from: ['queue'],
    to: 'outcomes',
    by: 'client',
    when: 'its slot is in the future, and its job was changed',
  },
  {
    event: 'reschedule',
    from: ['later', 'queue'],
    to: 'queue',
    by: 'client',
    when: 'it has not started, and the new time is near',
  },
  {
    event: 'reschedule',
    from: ['later', 'queue'],
    to: 'later',
    by: 'client',
    when: 'it has not started, and the new time is far',
  },
  {
    event: 'replace',
    from: ['later', 'queue', 'parked'],
    to: 'queue',
    by: 'client',
    when: 'it was never attempted, its key is submitted to replace or debounce it, and the new time is near',
  },
  {
    event: 'replace',
    from: ['later', 'queue', 'parked'],
    to: 'later',
    by: 'client',
    when: 'it was never attempted, its key is submitted to replace or debounce it, and the new time is far',
  },
  ...steered('reprioritise', 'it has not started, and gets another priority'),
  ...steered('edit', 'it was never attempted, and gets another payload'),
  {
    event: 'resolve',
    from: ['outcomes'],
    to: 'outcomes',
    by: 'client',
    when: 'it is unknown, and a caller resolves it',
  },
] as const satisfies readonly Transition[]
