/** POST /runs/:id/retry and /resolve: retries a failed run, or records how an unknown one ended. */
import type { ReplayResult } from '@punctual/core/dead-letter'
import { limits, PunctualError } from '@punctual/core/errors'
import {
  type KeyBusy,
  type Resolution,
  type ResolveResult,
  type RunState,
  resolutionNames,
} from '@punctual/core/run'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import type { TenantService } from '../../ports/service.ts'
import { answer, anyJson, exactly, idParam, nullable, oneOf, text } from '../../wire/schemas.ts'
import { findRun, refuseState } from './find-run.ts'

const note = Type.Optional(
  text(limits.descriptionLength, { description: 'The reason; stored with it.' }),
)
const retries = {
  method: 'POST',
  scope: 'operate',
  tag: 'Runs',
  params: idParam,
  writes: 'always',
  problems: ['run_not_found', 'state_conflict', 'already_handled', 'key_conflict'],
} as const

function keyTaken(id: string, { key, heldBy }: KeyBusy): never {
  const holder = heldBy === null ? 'which has just ended' : heldBy
  throw new PunctualError(
    'key_conflict',
    `The key ${JSON.stringify(key)} of ${id} belongs to a live run, ${holder}. Wait until that run has ended, or cancel it.`,
    { id },
  )
}

/** Returns the new run of a replayed dead letter; throws when it was not replayed. */
function replayedAs(id: string, answered: ReplayResult): string {
  if (answered.result === 'replayed') return answered.id
  if (answered.result === 'key_busy') return keyTaken(id, answered)
  const { as, replayedAs: other } = answered.handled
  const how = other === null ? as : `${as} as ${other}`
  throw new PunctualError('already_handled', `The dead letter ${id} was already ${how}.`, { id })
}

interface Replay {
  readonly payload?: unknown
  readonly from_checkpoint?: boolean
  readonly note?: string
}

/** Replays a dead letter as a new run. */
export async function replay(
  tenant: TenantService,
  id: string,
  { payload, from_checkpoint: fromCheckpoint, note }: Replay,
  by: string | undefined,
): Promise<{ id: string; run_id: string }> {
  const answered = await tenant.deadLetters.replay(id, {
    ...(payload !== undefined && { payload }),
    ...(fromCheckpoint !== undefined && { fromCheckpoint }),
    ...(note !== undefined && { note }),
    ...(by !== undefined && { by }),
  })
  return { id, run_id: replayedAs(id, answered) }
}

function resolvedAs(
  id: string,
  state: RunState,
  answered: ResolveResult,
  wanted: 'retried' | 'resolved',
): string | null {
  if (answered.result === 'resolved') return answered.replayedAs
  if (answered.result === 'key_busy') return keyTaken(id, answered)
  if (answered.result === 'not_unknown') return refuseState(id, state, wanted)
  const message = `The run ${id} was already resolved as ${answered.resolved.as}; this cannot be changed.`
  throw new PunctualError('already_handled', message, { id })
}

async function resolve(
  tenant: TenantService,
  id: string,
  as: Resolution,
  options: { note?: string | undefined; by?: string | undefined; wanted: 'retried' | 'resolved' },
): Promise<string | null> {
  const { state } = await findRun(tenant, id)
  const answered = await tenant.runs.resolve(id, as, {
    ...(options.note !== undefined && { note: options.note }),
    ...(options.by !== undefined && { by: options.by }),
  })
  return resolvedAs(id, state, answered, options.wanted)
}

export const retryRun = defineRoute({
  ...retries,
  path: '/runs/:id/retry',
  summary: 'Retries a dead or unknown run',
  description:
    'Creates a new run, due now. The old run is unchanged, and each refers to the other.',
  body: exactly({
    payload: Type.Optional(anyJson('For a dead run: replaces the payload.')),
    from_checkpoint: Type.Optional(
      Type.Boolean({ description: 'For a dead run: resumes from its last checkpoint.' }),
    ),
    note,
  }),
  answer: answer({ id: Type.String(), run_id: Type.String({ description: 'The new run.' }) }),
  status: 201,
  async handle({ tenant, params: { id }, body, actor: { name: by } }) {
    const { state } = await findRun(tenant, id)
    if (state === 'unknown') {
      const { note } = body
      const runId = await resolve(tenant, id, 'run-again', { note, by, wanted: 'retried' })
      return { id, run_id: runId ?? refuseState(id, state, 'retried') }
    }
    if (state !== 'dead') return refuseState(id, state, 'retried')
    return replay(tenant, id, body, by)
  },
})

export const resolveRun = defineRoute({
  ...retries,
  path: '/runs/:id/resolve',
  summary: 'Records how an unknown run ended',
  description:
    '`succeeded`: it was done. `failed`: it was not, and becomes a dead letter. `run-again`: a new run repeats it. A run can be resolved once.',
  body: exactly({ as: oneOf(resolutionNames), note }),
  answer: answer({
    id: Type.String(),
    as: Type.String(),
    run_id: nullable(Type.String({ description: 'The new run of `run-again`.' })),
  }),
  async handle({ tenant, params: { id }, body, actor: { name: by } }) {
    const options = { note: body.note, by, wanted: 'resolved' } as const
    return { id, as: body.as, run_id: await resolve(tenant, id, body.as, options) }
  },
})
