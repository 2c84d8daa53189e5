/**
 * The lifecycle as data. Each row is one guarded statement of the store: it deletes the run from the
 * place it leaves and inserts what follows only from what was deleted, so a run is in exactly one
 * place. A test walks this table against the real database, and the chart in docs/concepts/lifecycle.md
 * is generated from it.
 */
export type Place = 'nowhere' | 'later' | 'queue' | 'leases' | 'outcomes'

export interface Transition {
  readonly event: string
  readonly from: readonly Place[]
  readonly to: Place
  readonly by: 'client' | 'promoter' | 'worker' | 'reaper'
  readonly when: string
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
    event: 'cancel',
    from: ['later', 'queue'],
    to: 'outcomes',
    by: 'client',
    when: 'it has not started',
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
] as const satisfies readonly Transition[]
