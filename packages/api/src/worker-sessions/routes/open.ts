/**
 * POST /worker-sessions: registers a worker and gives it a lease that covers all runs it will hold.
 */
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { answer } from '../../wire/schemas.ts'
import { body, token, workerRoute } from '../define-route.ts'

const name = Type.String({ minLength: 1, maxLength: limits.nameLength })
const names = Type.Array(name, { maxItems: limits.handlersPerWorker })

export const openSession = workerRoute({
  method: 'POST',
  path: null,
  summary: 'Opens a session',
  status: 201,
  problems: ['quota_exceeded'],
  body: body({
    id: Type.Optional(token),
    host: Type.String({ minLength: 1, maxLength: 255 }),
    pid: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    version: Type.Optional(Type.String({ maxLength: limits.nameLength })),
    handlers: names,
    queues: Type.Optional(names),
    labels: Type.Optional(
      Type.Record(
        Type.String({ maxLength: limits.labelKeyLength }),
        Type.String({ maxLength: limits.labelValueLength }),
        { maxProperties: limits.labelsPerRun },
      ),
    ),
    capacity: Type.Integer({ minimum: 1, maximum: limits.concurrencyMax }),
    lease_ms: Type.Integer({ minimum: limits.leaseMsMin, maximum: limits.leaseMsMax }),
    drains: Type.Optional(Type.Boolean()),
  }),
  answer: answer({
    id: Type.String({ description: 'The id of the session: a number of 63 bits, as a string.' }),
    lease_ms: Type.Integer(),
    renew_every_ms: Type.Integer(),
  }),
  handle: ({ sessions, caller, body }) => sessions.open(caller, body),
})
