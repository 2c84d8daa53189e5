/** POST /worker-sessions/:id/lanes: the lanes of a worker that distributes its claims itself. */
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { answer, nullable } from '../../wire/schemas.ts'
import { body, workerRoute } from '../define-route.ts'

const name = Type.String({ minLength: 1, maxLength: limits.nameLength })
const names = Type.Array(name, { maxItems: limits.handlersPerWorker })

const lane = answer({
  ...{
    id: Type.Integer(),
    tenant_id: Type.Integer(),
    queue: Type.String(),
    handler: Type.String(),
  },
  ...{ priority: Type.Integer(), weight: Type.Integer(), ageing_ms: nullable(Type.Integer()) },
})

export const listLanes = workerRoute({
  method: 'POST',
  path: '/lanes',
  summary: 'Lists the lanes to claim from',
  body: body({ handlers: names, queues: names }),
  answer: answer({ lanes: Type.Array(lane) }),
  handle: async ({ sessions, session, body }) => ({
    lanes: await sessions.lanes(session, body.handlers, body.queues),
  }),
})
