/**
 * A route as data: one schema is validation, serialisation, types and OpenAPI at once. The rest
 * that every route needs (the caller, its scope, the tenant, the transaction, the idempotency key)
 * is handled in one place, around `handle`.
 */
import type { Actor } from '@punctual/core/audit'
import type { Caller } from '@punctual/core/identity'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { Service, TenantService } from '../ports/service.ts'
import type { OpenStreams } from '../streams/open-streams.ts'
import type { Streamed } from '../streams/stream.ts'
import type { RouteScope } from './admitted-scope.ts'
import type { Pieces } from './pieces.ts'

/** The argument of a handler. */
export interface Call<Params, Query, Body> {
  readonly service: Service
  /** The services of the tenant that the call is for. */
  readonly tenant: TenantService
  readonly caller: Caller
  readonly actor: Actor
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The open event streams, for routes that stream. */
  readonly streams: OpenStreams
  /** Rejects when the caller would no longer be admitted. */
  readonly recheck: () => Promise<void>
  /** The short transactions of a call that is done in pieces; null for any other call. */
  readonly pieces: Pieces | null
}

/** How the body is parsed. */
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
  /** The scope that the key needs; `any`: every valid key; `report`: also a callback token. */
  readonly scope: RouteScope
  /** The heading of the reference page. */
  readonly tag: string
  /** A short sentence in the third person, without the final period. */
  readonly summary: string
  /** Further sentences for the reference. */
  readonly description?: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** @default 'json' */
  readonly reads?: Reading
  /** The schema of a successful answer; none for a stream. */
  readonly answer?: Answer
  /** @default 200 */
  readonly status?: number
  /** Other success statuses with the same answer, each with its description. */
  readonly others?: Readonly<Record<number, string>>
  /**
   * `always`: the route writes, in one transaction with its idempotency key and its audit entry.
   * `keyed`: it needs a transaction only with an idempotency key, because the write is one
   * statement. @default none, for reads
   */
  readonly writes?: 'always' | 'keyed'
  /**
   * Whether a call with this query is long work that is done in pieces, each in a separate short
   * transaction. @default never
   */
  inPieces?(query: Static<Query>): boolean
  /**
   * The body holds a secret: the stored fingerprint is useless without the master key. @default
   * false
   */
  readonly secret?: boolean
  /**
   * Returns the part of the answer that an idempotency key stores, never a secret. @default all of
   * it
   */
  keep?(answer: Static<Answer>): unknown
  /** Rebuilds the answer from its stored part. @default the stored part */
  // biome-ignore lint/suspicious/noExplicitAny: it is what `keep` returned
  replay?(kept: any): Static<Answer>
  /** Codes of problems specific to the route, for the description. */
  readonly problems?: readonly string[]
  handle(
    call: Call<Static<Params>, Static<Query>, Static<Body>>,
  ): Promise<Static<Answer> | Streamed>
  /**
   * Handles several calls of one tenant at once, all or none: calls that arrive while others are in
   * progress. Each may have another actor, so the handler passes the actors on.
   * @default none: each call is handled separately
   */
  handleAll?(
    tenant: TenantService,
    calls: readonly Call<Static<Params>, Static<Query>, Static<Body>>[],
  ): Promise<readonly Static<Answer>[]>
}

/** A route of any shape, as the app registers it. */
export type AnyRoute = Omit<Route, 'handle' | 'handleAll' | 'keep' | 'replay' | 'inPieces'> & {
  // biome-ignore lint/suspicious/noExplicitAny: the types were checked by defineRoute
  handle(call: any): Promise<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  handleAll?(tenant: TenantService, calls: any): Promise<readonly unknown[]>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  inPieces?(query: any): boolean
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
  return route
}
