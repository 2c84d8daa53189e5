/** PATCH /worker-sessions/:id: updates the visible state of a worker. */
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { answer } from '../../wire/schemas.ts'
import { body, runId, workerRoute } from '../define-route.ts'

const name = Type.String({ minLength: 1, maxLength: limits.nameLength })
const whole = Type.Integer({ minimum: 0 })
const stuck = body({ run_id: runId, handler: name, attempt: whole, ran_ms: whole })

export const describeSession = workerRoute({
  method: 'PATCH',
  path: '',
  summary: 'Updates the state and handlers of the worker',
  body: body({
    state: Type.Union([Type.Literal('active'), Type.Literal('draining')]),
    handlers: Type.Array(name, { maxItems: limits.handlersPerWorker }),
    stuck: Type.Optional(Type.Array(stuck, { maxItems: 100 })),
  }),
  answer: answer({ id: Type.String() }),
  async handle({ sessions, session, body: { state, handlers, stuck: all = [] } }) {
    const shown = all.map(({ run_id, handler, attempt, ran_ms }) => ({
      ...{ runId: run_id, handler, attempt, ranMs: ran_ms },
    }))
    await sessions.describe(session, { state, handlers, stuck: shown })
    return { id: session.id }
  },
})
