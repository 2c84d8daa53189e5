/** Finds the run of a request, and explains why an operation on it is refused. */
import { PunctualError } from '@punctual/core/errors'
import { isFinal, type Run, type RunState } from '@punctual/core/run'
import type { TenantService } from '../../ports/service.ts'

export async function findRun(tenant: TenantService, id: string): Promise<Run> {
  const run = await tenant.runs.get(id)
  if (run) return run
  const message = `No run has the id ${id}. It may be older than the retention.`
  throw new PunctualError('run_not_found', message, { id })
}

const AGAIN = 'Submit it again with POST /v1/runs.'

/** The operations that each state allows, as the error message states them. */
const possible: Readonly<Record<RunState, string>> = {
  waiting: 'It can be cancelled, and its priority or payload changed.',
  scheduled: 'It can be cancelled, rescheduled or promoted, and its priority changed.',
  queued: 'It can be cancelled or rescheduled, and its priority changed.',
  running: 'It can be cancelled.',
  cancelling: 'It is ending; wait until it has ended.',
  awaiting: 'It can be cancelled, and its outcome reported.',
  succeeded: AGAIN,
  dead: 'It can be retried, or discarded with POST /v1/dead-letters/:id/discard.',
  cancelled: AGAIN,
  skipped: AGAIN,
  unknown: 'It can be retried, or resolved with POST /v1/runs/:id/resolve.',
}

/** Throws because the state does not allow the operation. */
export function refuseState(id: string, state: RunState, wanted: string): never {
  throw new PunctualError(
    isFinal(state) && wanted !== 'retried' && wanted !== 'resolved'
      ? 'already_finished'
      : 'state_conflict',
    `The run ${id} is ${state} and cannot be ${wanted}. ${possible[state]}`,
    { id },
  )
}

/** The same for a run whose state is not known yet. */
export async function refuseRun(tenant: TenantService, id: string, wanted: string): Promise<never> {
  return refuseState(id, (await findRun(tenant, id)).state, wanted)
}
