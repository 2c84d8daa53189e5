/** GET /runs/:id, its output, and why it is not running. */
import { runStates } from '@punctual/core/run'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { runAnswer, runToWire } from '../../wire/run-answer.ts'
import { answer, idParam, oneOf } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'
import { findRun } from './find-run.ts'

const looks = {
  method: 'GET',
  scope: 'read',
  tag: 'Runs',
  params: idParam,
  problems: ['run_not_found'],
} as const

export const getRun = defineRoute({
  ...looks,
  path: '/runs/:id',
  summary: 'Returns a run with its attempts',
  answer: runAnswer,
  async handle({ tenant, params }) {
    return runToWire(await findRun(tenant, params.id))
  },
})

export const getOutput = defineRoute({
  ...looks,
  path: '/runs/:id/output',
  summary: 'Returns the output of a run; null unless it succeeded',
  answer: answer({ id: Type.String(), state: oneOf(runStates), output: Type.Unknown() }),
  async handle({ tenant, params }) {
    const run = await findRun(tenant, params.id)
    const output = 'output' in run ? run.output : null
    return { id: run.id, state: run.state, output }
  },
})

/** Each kind of reason has further members, which are passed on unchanged. */
const obstacle = Type.Object(
  {
    code: Type.String({ description: 'Such as `not_due`, `paused` or `no_worker`.' }),
    detail: Type.String({ description: 'The reason in words.' }),
  },
  { additionalProperties: true },
)

export const explainRun = defineRoute({
  ...looks,
  path: '/runs/:id/explain',
  summary: 'Explains why a run is not running now',
  description:
    'A run that is due and not running always has a reason. For a tenant, workers that serve all tenants appear with their ids only.',
  answer: answer({
    id: Type.String(),
    running: Type.Boolean(),
    reasons: Type.Array(obstacle, { description: 'In the order in which they must end.' }),
  }),
  async handle({ tenant, caller, params: { id } }) {
    const fleet = caller.tenantId === null
    const { running, reasons } = await tenant.runs.explain(id, { fleet })
    return { id, running, reasons: toWire(reasons) }
  },
})
