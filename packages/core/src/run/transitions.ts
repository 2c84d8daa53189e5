/**
 * The lifecycle as data. Each row is one guarded statement of the store: it deletes the run from the
 * place it leaves and inserts what follows only from what was deleted, so a run is in exactly one
 * place. What has ended stays where it is; only of an unknown run may somebody say later what became
 * of it. A test walks this table against the real database, and the chart in
 * docs/concepts/lifecycle.md is generated from it.
 */
export type Place = 'nowhere' | 'later' | 'queue' | 'parked' | 'leases' | 'outcomes'

export interface Transition {
  readonly event: string
  readonly from: readonly Place[]
  readonly to: Place
  readonly by: 'client' | 'planner' | 'promoter' | 'worker' | 'reaper'
  readonly when: string
}

/** A run that stays where it is, and leaves its place for a moment so that no claim takes it as it was. */
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
    when: 'somebody asked for a run of its job now',
  },
  {
    event: 'backfill',
    from: ['nowhere'],
    to: 'queue',
    by: 'client',
    when: 'somebody asked for a slot of the past, and its turn is near',
  },
  {
    event: 'backfill',
    from: ['nowhere'],
    to: 'later',
    by: 'client',
    when: 'somebody asked for a slot of the past, and its turn is far',
  },
  {
    event: 'replay',
    from: ['nowhere'],
    to: 'queue',
    by: 'client',
    when: 'somebody asked to do a dead run, or an unknown one, again',
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
    when: 'it is due, and another run of its job goes on or its concurrency key is used up',
  },
  {
    event: 'release',
    from: ['parked'],
    to: 'queue',
    by: 'worker',
    when: 'no run of its job goes on any more, or its concurrency key has room',
  },
  {
    event: 'delay',
    from: ['queue'],
    to: 'queue',
    by: 'worker',
    when: 'it is due and its rate is used up: it has the moment when it may start',
  },
  {
    event: 'skip',
    from: ['parked'],
    to: 'outcomes',
    by: 'worker',
    when: 'another run of its job goes on, and it may not wait',
  },
  {
    event: 'expire',
    from: ['leases'],
    to: 'outcomes',
    by: 'worker',
    when: 'it would start, and the moment after which it is not worth running has passed',
  },
  {
    event: 'supersede',
    from: ['leases', 'parked', 'queue', 'later'],
    to: 'outcomes',
    by: 'worker',
    when: 'a newer run of its job takes its place',
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
    when: 'the attempt failed, tries are left, and the next is near',
  },
  {
    event: 'postpone',
    from: ['leases'],
    to: 'later',
    by: 'worker',
    when: 'the attempt failed, tries are left, and the next is far',
  },
  {
    event: 'die',
    from: ['leases'],
    to: 'outcomes',
    by: 'worker',
    when: 'the attempt failed and no try is left',
  },
  {
    event: 'cancel',
    from: ['leases'],
    to: 'outcomes',
    by: 'worker',
    when: 'it was asked to end, and its handler has heeded that, has failed or was not called',
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
    when: 'its session is gone, and it has killed too many or must not be retried',
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
    event: 'withdraw',
    from: ['queue'],
    to: 'outcomes',
    by: 'client',
    when: 'its slot is ahead, and its job was changed',
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
    when: 'it was never tried, its key is submitted to replace or debounce it, and the new time is near',
  },
  {
    event: 'replace',
    from: ['later', 'queue', 'parked'],
    to: 'later',
    by: 'client',
    when: 'it was never tried, its key is submitted to replace or debounce it, and the new time is far',
  },
  ...steered('reprioritise', 'it has not started, and is given another priority'),
  ...steered('edit', 'it was never tried, and is given another payload'),
  {
    event: 'resolve',
    from: ['outcomes'],
    to: 'outcomes',
    by: 'client',
    when: 'it is unknown, and somebody says what became of it',
  },
] as const satisfies readonly Transition[]
