/**
 * A route of remote workers as data: its schema, and what it does for a session that was looked up and is the caller's.
 * They are apart from the other routes in three ways: bodies may be large, none is a transaction of its own (each verb is
 * fenced and may be repeated), and some wait.
 */
import type { OpenSession } from '@punctual/core'
import type { FastifyReply } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import type { WorkerCaller } from './ports.ts'
import type { WorkerSessions } from './worker-sessions.ts'

export interface WorkerCall<Body> {
  readonly sessions: WorkerSessions
  readonly caller: WorkerCaller
  readonly session: OpenSession
  readonly body: Body
  /** Aborted when the client goes away before it is answered. */
  readonly gone: AbortSignal
  readonly reply: FastifyReply
}

export interface WorkerRoute<Body extends TSchema = TSchema> {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** Below `/worker-sessions/:session_id`; `null` where there is no session yet. */
  readonly path: string | null
  readonly summary: string
  readonly body?: Body
  /** @default 200 */
  readonly status?: number
  handle(call: WorkerCall<Static<Body>>): Promise<unknown>
}

export type AnyWorkerRoute = Omit<WorkerRoute, 'handle'> & {
  // biome-ignore lint/suspicious/noExplicitAny: what is inside was checked where it was defined
  handle(call: any): Promise<unknown>
}

/** Checks the handler against the schema. */
export function workerRoute<Body extends TSchema>(route: WorkerRoute<Body>): AnyWorkerRoute {
  return route as unknown as AnyWorkerRoute
}

/** A number of 63 bits: more than JSON numbers hold exactly. */
export const token = Type.String({ pattern: '^[1-9][0-9]{0,18}$', maxLength: 19 })
export const runId = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
})
export const fenceFields = { run_id: runId, fence: token }
const closed = { additionalProperties: false }
export const fence = Type.Object(fenceFields, closed)
export const body = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object(fields, closed)
