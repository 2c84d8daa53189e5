/** POST /runs/:id/retry and /resolve: what ended badly is done again, or somebody says what became of it. */
import { limits, PunctualError } from '@punctual/core/errors'
import { type Resolution, type RunState, resolutions } from '@punctual/core/run'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import type { ReplayResult } from '../../ports/dead-letter-service.ts'
import type { KeyTaken, ResolveResult } from '../../ports/run-service.ts'
import type { TenantService } from '../../ports/service.ts'
import { answer, anyJson, exactly, idParam, nullable, oneOf, text } from '../../wire/schemas.ts'
import { findRun, refuseState } from './find-run.ts'

const note = Type.Optional(text(limits.descriptionLength, { description: 'Why; kept with it.' }))
const retries = {
  method: 'POST',
  scope: 'operate',
  tag: 'Runs',
  params: idParam,
  writes: 'always',
  problems: ['run_not_found', 'state_conflict', 'already_handled', 'key_conflict'],
} as const

function keyTaken(id: string, { key, heldBy }: KeyTaken): never {
  const holder = heldBy === null ? 'which has just ended' : heldBy
  throw new PunctualError(
    'key_conflict',
    `The key ${JSON.stringify(key)} of ${id} belongs to a live run, ${holder}. Wait until that has ended, or cancel it.`,
    { id },
  )
}

/** The new run of a dead letter. */
function replayedAs(id: string, answered: ReplayResult): string {
  if (answered.result === 'replayed') return answered.id
  if (answered.result === 'key_busy') return keyTaken(id, answered)
  const { as, replayedAs: other } = answered.handled
  const how = other === null ? as : `${as} as ${other}`
  throw new PunctualError('already_handled', `The dead letter ${id} was ${how} before.`, { id })
}

interface Replay {
  readonly payload?: unknown
  readonly from_checkpoint?: boolean
  readonly note?: string
}

/** Makes a new run of a dead letter. */
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
  const message = `The run ${id} was resolved as ${answered.resolved.as} before, and the first answer stays.`
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
  summary: 'Do a run again that is dead or unknown',
  description:
    'A new run is made, due now; the old one stays as it was, and the two name each other.',
  body: exactly({
    payload: Type.Optional(anyJson('Of a dead run: instead of its own.')),
    from_checkpoint: Type.Optional(
      Type.Boolean({ description: 'Of a dead run: go on from its last checkpoint.' }),
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
      return { id, run_id: runId as string }
    }
    if (state !== 'dead') return refuseState(id, state, 'retried')
    return replay(tenant, id, body, by)
  },
})

export const resolveRun = defineRoute({
  ...retries,
  path: '/runs/:id/resolve',
  summary: 'Say what became of an unknown run',
  description:
    '`succeeded`: it was done. `failed`: it was not, and is a dead letter now. `run-again`: a new run does it again. It is said once.',
  body: exactly({ as: oneOf(Object.keys(resolutions) as Resolution[]), note }),
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
