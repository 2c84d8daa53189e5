/** POST /runs: submits a run of a handler. */
import Type, { type Static } from 'typebox'
import { type Call, defineRoute } from '../../http/define-route.ts'
import type { TenantService } from '../../ports/service.ts'
import { inWireNames } from '../../wire/in-wire-names.ts'
import { newRun, submissionOf } from '../../wire/run-input.ts'
import { answer, oneOf } from '../../wire/schemas.ts'

const submittedRun = answer({
  id: Type.String(),
  created: Type.Boolean({ description: 'False when a live run has the key; `id` is that run.' }),
  outcome: oneOf(['created', 'existing', 'replaced'] as const),
})

type SubmitCall = Call<unknown, unknown, Static<typeof newRun>>

/** Submits all runs or none. */
async function submitAll(tenant: TenantService, calls: readonly SubmitCall[]) {
  const bodies = calls.map(({ body }) => body)
  const runs = await inWireNames(bodies, async () =>
    tenant.submitAll(calls.map(({ body, caller }) => submissionOf(body, caller.keyName))),
  )
  // Set in both cases: an earlier attempt that was undone may have set the other status.
  for (const [i, { created }] of runs.entries()) calls[i]?.reply.code(created ? 201 : 200)
  return runs
}

export const submitRun = defineRoute({
  method: 'POST',
  path: '/runs',
  scope: 'submit',
  tag: 'Runs',
  summary: 'Submits a run',
  description:
    'The run is committed when the request is answered. Its handler need not exist on a worker yet.',
  body: newRun,
  answer: submittedRun,
  status: 201,
  others: { 200: 'A live run has the key; `id` is that run.' },
  writes: 'keyed',
  problems: ['key_conflict', 'handler_unknown', 'quota_exceeded', 'payload_too_large'],
  async handle({ tenant, body, caller, reply }) {
    const run = await inWireNames([body], async () => {
      const { handler, payload, options } = submissionOf(body, caller.keyName)
      return tenant.submit(handler, payload, options)
    })
    reply.code(run.created ? 201 : 200)
    return run
  },
  handleAll: submitAll,
})
