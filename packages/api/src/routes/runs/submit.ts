/** POST /runs: submits a run of a handler. */
import Type, { type Static } from 'typebox'
import { type Call, defineRoute } from '../../http/define-route.ts'
import { inWireNames } from '../../wire/in-wire-names.ts'
import { newRun, submissionOf } from '../../wire/run-input.ts'
import { answer, oneOf } from '../../wire/schemas.ts'

const submittedRun = answer({
  id: Type.String(),
  created: Type.Boolean({ description: 'False when a live run has the key; its id is answered.' }),
  outcome: oneOf(['created', 'existing', 'replaced'] as const),
})

/** All or none. */
async function submitEach(calls: readonly Call<unknown, unknown, Static<typeof newRun>>[]) {
  const { tenant } = calls[0] as (typeof calls)[number]
  const bodies = calls.map(({ body }) => body)
  const runs = await inWireNames(bodies, async () =>
    tenant.submitAll(calls.map(({ body, caller }) => submissionOf(body, caller.keyName))),
  )
  // Said either way: what was done before and undone may have said the other.
  for (const [i, { created }] of runs.entries()) calls[i]?.reply.code(created ? 201 : 200)
  return runs
}

export const submitRun = defineRoute({
  method: 'POST',
  path: '/runs',
  scope: 'submit',
  tag: 'Runs',
  summary: 'Submit a run',
  description: 'Once it is answered the run is committed. No worker need know its handler yet.',
  body: newRun,
  answer: submittedRun,
  status: 201,
  others: { 200: 'A live run has the key: that one is answered.' },
  writes: 'keyed',
  problems: ['key_conflict', 'handler_unknown', 'quota_exceeded', 'payload_too_large'],
  async handle(call) {
    const [run] = await submitEach([call])
    return run as never
  },
  handleAll: submitEach,
})
