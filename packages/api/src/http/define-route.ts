/**
 * A route as data: one schema is validation, serialisation, types and OpenAPI at once. What every route needs besides
 * (who calls, whether that is allowed, for which tenant, in which transaction, under which idempotency key) is done in
 * one place, around `handle`.
 */
import type { Actor } from '@punctual/core/audit'
import type { Caller, Scope } from '@punctual/core/identity'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { Service, TenantService } from '../ports/service.ts'
import type { OpenStreams } from '../streams/open-streams.ts'

/** What a handler is given. */
export interface Call<Params, Query, Body> {
  readonly service: Service
  /** The parts of the tenant that the call is for. */
  readonly tenant: TenantService
  readonly caller: Caller
  readonly actor: Actor
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** For answers that stay open. */
  readonly streams: OpenStreams
  /** Rejects when the caller would not be let in any more. */
  readonly recheck: () => Promise<void>
}

/** What reading the request came to, where it is not plain JSON. */
export type Reading = 'json' | 'ndjson'

export interface Route<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /v1, such as `/jobs/:id`. */
  readonly path: string
  /** What the key must hold; `any`: nothing but to be a key. */
  readonly scope: Scope | 'any'
  /** The heading under which it is described. */
  readonly tag: string
  /** What it does, in a few words. */
  readonly summary: string
  /** What there is to know beyond that. */
  readonly description?: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** @default 'json' */
  readonly reads?: Reading
  /** What a success answers; none where it streams. */
  readonly answer?: Answer
  /** @default 200 */
  readonly status?: number
  /** Other statuses of a success, which answer the same, with what they mean. */
  readonly others?: Readonly<Record<number, string>>
  /**
   * `always`: it changes something, in one transaction with its idempotency key and its audit entry. `keyed`: in a
   * transaction only where it has a key, because the change is one statement by itself. @default none, for reads
   */
  readonly writes?: 'always' | 'keyed'
  /** Its body holds a secret: what is kept of the request tells nothing of it without the master key. @default false */
  readonly secret?: boolean
  /** What is kept of the answer under an idempotency key; a secret in it is not. @default all of it */
  keep?(answer: Static<Answer>): unknown
  /** The answer again, from what was kept of it. @default what was kept */
  // biome-ignore lint/suspicious/noExplicitAny: it is what `keep` gave
  replay?(kept: any): Static<Answer>
  /** Codes of problems that are particular to it, for the description. */
  readonly problems?: readonly string[]
  handle(
    call: Call<Static<Params>, Static<Query>, Static<Body>>,
  ): Promise<Static<Answer>> | Promise<void>
  /**
   * Handles calls of one tenant at once, all or none: those that come under idempotency keys while others are under way.
   * Nothing of it is audited, as each would have an actor of its own. @default none: each by itself
   */
  handleAll?(
    calls: readonly Call<Static<Params>, Static<Query>, Static<Body>>[],
  ): Promise<readonly Static<Answer>[]>
}

/** A route of any shape, as the app registers it. */
export type AnyRoute = Omit<Route, 'handle' | 'handleAll' | 'keep' | 'replay'> & {
  // biome-ignore lint/suspicious/noExplicitAny: what is inside was checked where it was defined
  handle(call: any): Promise<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  handleAll?(calls: any): Promise<readonly unknown[]>
  keep?(answer: unknown): unknown
  replay?(kept: unknown): unknown
}

/** Checks the handler against the schemas. */
export function defineRoute<
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Answer extends TSchema,
>(route: Route<Params, Query, Body, Answer>): AnyRoute {
  return route as unknown as AnyRoute
}
