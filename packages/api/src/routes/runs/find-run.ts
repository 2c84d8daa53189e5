/** A run that a route is about, or the problem that there is none; and why something cannot be done to it. */
import { PunctualError } from '@punctual/core/errors'
import { isFinal, type Run, type RunState } from '@punctual/core/run'
import type { TenantService } from '../../ports/service.ts'

export async function findRun(tenant: TenantService, id: string): Promise<Run> {
  const run = await tenant.runs.get(id)
  if (run) return run
  const message = `There is no run ${id}. It may be older than the retention.`
  throw new PunctualError('run_not_found', message, { id })
}

const AGAIN = 'Submit it again with POST /v1/runs.'

/** What can be done to a run that is in a state, as people are told it. */
const possible: Readonly<Record<RunState, string>> = {
  waiting: 'It can be cancelled, and given another priority or payload.',
  scheduled: 'It can be cancelled, rescheduled, promoted, and given another priority.',
  queued: 'It can be cancelled, rescheduled, and given another priority.',
  running: 'It can be cancelled.',
  cancelling: 'It is ending; wait until it has.',
  succeeded: AGAIN,
  dead: 'It can be retried, or discarded with POST /v1/dead-letters/:id/discard.',
  cancelled: AGAIN,
  skipped: AGAIN,
  unknown: 'It can be retried, or resolved with POST /v1/runs/:id/resolve.',
}

/** It is in a state in which that cannot be done. */
export function refuseState(id: string, state: RunState, wanted: string): never {
  throw new PunctualError(
    isFinal(state) && wanted !== 'retried' && wanted !== 'resolved'
      ? 'already_finished'
      : 'state_conflict',
    `The run ${id} is ${state} and cannot be ${wanted}. ${possible[state]}`,
    { id },
  )
}

/** The same of a run whose state is not known yet. */
export async function refuseRun(tenant: TenantService, id: string, wanted: string): Promise<never> {
  return refuseState(id, (await findRun(tenant, id)).state, wanted)
}
