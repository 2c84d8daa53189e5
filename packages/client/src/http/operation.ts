/** The operations of the API as types: what each takes and answers, by method and path. */
import type { Operations } from './api.gen.ts'

export type OperationName = keyof Operations

type Part<O extends OperationName, P extends string> =
  Operations[O] extends Record<P, infer T> ? T : undefined

export type ParamsOf<O extends OperationName> = Part<O, 'params'>
export type QueryOf<O extends OperationName> = Part<O, 'query'>
export type BodyOf<O extends OperationName> = Part<O, 'body'>
export type AnswerOf<O extends OperationName> = Part<O, 'answer'>

/** What may be left out when nothing in it is needed. */
type Given<P extends string, T> = T extends undefined
  ? unknown
  : Record<string, never> extends T
    ? { readonly [Name in P]?: T | undefined }
    : { readonly [Name in P]: T }

export type InputOf<O extends OperationName> = Given<'params', ParamsOf<O>> &
  Given<'query', QueryOf<O>> &
  Given<'body', BodyOf<O>>

/** What every request may be given besides. */
export interface CallOptions {
  /** Gives up; the request is not sent again. */
  readonly signal?: AbortSignal | undefined
  /** In place of one that is made for this call: the same call again is answered what it was answered. */
  readonly idempotencyKey?: string | undefined
}
