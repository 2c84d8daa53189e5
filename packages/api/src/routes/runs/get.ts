/** GET /runs/:id, and what of it people ask for alone: its output, and why it does not run now. */
import { runStates } from '@punctual/core/run'
import Type, { type Static } from 'typebox'
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
  summary: 'A run with its attempts',
  answer: runAnswer,
  async handle({ tenant, params }) {
    return runToWire(await findRun(tenant, params.id))
  },
})

export const getOutput = defineRoute({
  ...looks,
  path: '/runs/:id/output',
  summary: 'What its handler returned; null unless it succeeded',
  answer: answer({ id: Type.String(), state: oneOf(runStates), output: Type.Unknown() }),
  async handle({ tenant, params }) {
    const run = await findRun(tenant, params.id)
    const output = 'output' in run ? run.output : null
    return { id: run.id, state: run.state, output }
  },
})

/** What each kind of reason has besides is told as it is. */
const obstacle = Type.Object(
  {
    code: Type.String({ description: 'Such as `not_due`, `paused` or `no_worker`.' }),
    detail: Type.String({ description: 'The same in words.' }),
  },
  { additionalProperties: true },
)

export const explainRun = defineRoute({
  ...looks,
  path: '/runs/:id/explain',
  summary: 'Why it is not running now',
  description:
    'A run that is due and does not run always has a reason. Workers that work for all are told to a tenant by their ids alone.',
  answer: answer({
    id: Type.String(),
    running: Type.Boolean(),
    reasons: Type.Array(obstacle, { description: 'In the order in which they have to go.' }),
  }),
  async handle({ tenant, caller, params: { id } }) {
    const fleet = caller.tenantId === null
    const { running, reasons } = await tenant.runs.explain(id, { fleet })
    return { id, running, reasons: toWire(reasons) as Static<typeof obstacle>[] }
  },
})
