/** The operations of the API as types: input and answer by method and path. */
import type { Operations } from './api.gen.ts'

export type OperationName = keyof Operations

type Part<O extends OperationName, P extends string> =
  Operations[O] extends Record<P, infer T> ? T : undefined

export type ParamsOf<O extends OperationName> = Part<O, 'params'>
export type QueryOf<O extends OperationName> = Part<O, 'query'>
export type BodyOf<O extends OperationName> = Part<O, 'body'>
export type AnswerOf<O extends OperationName> = Part<O, 'answer'>

/** Omissible when all members are optional. */
type Given<P extends string, T> = T extends undefined
  ? unknown
  : Record<string, never> extends T
    ? { readonly [Name in P]?: T | undefined }
    : { readonly [Name in P]: T }

export type InputOf<O extends OperationName> = Given<'params', ParamsOf<O>> &
  Given<'query', QueryOf<O>> &
  Given<'body', BodyOf<O>>

/** Options of every request. */
export interface CallOptions {
  /** Aborts the call, including its retries. */
  readonly signal?: AbortSignal | undefined
  /** Replaces the generated key. Repeating a call with the same key returns the first answer. */
  readonly idempotencyKey?: string | undefined
}
