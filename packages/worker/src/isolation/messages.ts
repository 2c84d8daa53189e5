/**
 * The messages between a worker and the thread or process of an isolated handler. Values that are
 * stored as JSON are encoded on the handler's side, so that the handler gets an error for a value
 * that cannot be stored at once, and the same error as elsewhere. Only the payload is sent
 * unchanged: a schema may have turned strings into dates.
 */
import type { AwaitOptions } from '../handler/awaiting.ts'
import type { HandlerContext, RunLog } from '../handler/handler.ts'
import type { ThrownRecord } from './thrown.ts'

/** The members of the handler's context that are plain values. */
export type RunFacts = Pick<
  HandlerContext,
  | 'runId'
  | 'attempt'
  | 'maxAttempts'
  | 'idempotencyKey'
  | 'handler'
  | 'queue'
  | 'dueAt'
  | 'trace'
  | 'job'
  | 'lastCheckpoint'
>

export type ToIsolate =
  | { readonly kind: 'run'; readonly payload: unknown; readonly facts: RunFacts }
  | { readonly kind: 'abort'; readonly name: string; readonly message: string }
  /** The answer to `checkpoint`, `secret` and `callback`; `refused` holds the error of a failed request. */
  | {
      readonly kind: 'answer'
      readonly call: number
      readonly refused: ThrownRecord | null
      readonly value?: string
    }

export type FromIsolate =
  | {
      readonly kind: 'log'
      readonly level: keyof RunLog
      readonly message: string
      /** A JSON text. */
      readonly data: string | undefined
    }
  | { readonly kind: 'progress'; readonly value: string }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'checkpoint'; readonly call: number; readonly state: string }
  | { readonly kind: 'secret'; readonly call: number; readonly name: string }
  | { readonly kind: 'callback'; readonly call: number }
  | { readonly kind: 'returned'; readonly output: string }
  /** The handler leaves the run to its target. */
  | { readonly kind: 'awaits'; readonly options: AwaitOptions }
  /**
   * `spent`: the isolate cannot run anything else. A module that failed to load is not loaded
   * again.
   */
  | { readonly kind: 'threw'; readonly thrown: ThrownRecord; readonly spent: boolean }
  /** An uncaught error; the process ends. */
  | { readonly kind: 'crashed'; readonly thrown: ThrownRecord }

/** A handler may use the same channel for its own messages: this mark distinguishes Punctual's. */
const OURS = 'punctual/isolate'

export interface MarkedMessage {
  readonly by: typeof OURS
  readonly message: FromIsolate
}

export function markMessage(message: FromIsolate): MarkedMessage {
  return { by: OURS, message }
}

/** Returns a message of Punctual's; null for any other, which is ignored. */
export function readMarked(received: unknown): FromIsolate | null {
  const marked = received as Partial<MarkedMessage> | null | undefined
  return marked?.by === OURS ? (marked.message ?? null) : null
}
