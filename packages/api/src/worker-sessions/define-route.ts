/**
 * A route of remote workers as data: its schema, and its handler for a session that was found and
 * belongs to the caller. These routes differ from the others in three ways: bodies may be large, no
 * request is one transaction (each operation is fenced and may be repeated), and some wait.
 */
import type { OpenSession } from '@punctual/core/ports'
import type { FastifyReply } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { answer } from '../wire/schemas.ts'
import type { Waiting, WorkerCaller } from './ports.ts'
import type { WorkerSessions } from './worker-sessions.ts'

export interface WorkerCall<Body> extends Waiting {
  readonly sessions: WorkerSessions
  readonly caller: WorkerCaller
  readonly session: OpenSession
  readonly body: Body
  readonly reply: FastifyReply
}

export interface WorkerRoute<Body extends TSchema = TSchema, Answer extends TSchema = TSchema> {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** Below `/worker-sessions/:session_id`; `null` when the session does not exist yet. */
  readonly path: string | null
  readonly summary: string
  readonly body?: Body
  /** The schema of a successful answer. */
  readonly answer: Answer
  /** @default 200 */
  readonly status?: number
  /** The request may wait for its answer: the number in flight is limited for each tenant. */
  readonly waits?: boolean
  /** Codes of problems specific to the route, for the description. */
  readonly problems?: readonly string[]
  /** Returns the answer, or its JSON text. */
  handle(call: WorkerCall<Static<Body>>): Promise<Static<Answer> | string>
}

export type AnyWorkerRoute = Omit<WorkerRoute, 'handle'> & {
  // biome-ignore lint/suspicious/noExplicitAny: the types were checked by workerRoute
  handle(call: any): Promise<unknown>
}

/** Checks the handler against the schemas. */
export function workerRoute<Body extends TSchema, Answer extends TSchema>(
  route: WorkerRoute<Body, Answer>,
): AnyWorkerRoute {
  return route
}

/** A number of 63 bits, more than a JSON number holds exactly. */
export const token = Type.String({ pattern: '^[1-9][0-9]{0,18}$', maxLength: 19 })
export const runId = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
})
export const fenceFields = { run_id: runId, fence: token }
const closed = { additionalProperties: false }
export const fence = Type.Object(fenceFields, closed)
/** The result for each run of a batch. */
export const results = answer({
  results: Type.Array(
    answer({
      run_id: Type.String(),
      accepted: Type.Boolean(),
      code: Type.Optional(Type.String({ description: '`lease_lost`, when it is not accepted.' })),
    }),
  ),
})
export const body = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object(fields, closed)
