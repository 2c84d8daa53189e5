/**
 * What is said between a worker and the thread or process that an isolated handler runs in. Values that become JSON
 * anyway are turned into it where the handler is, so that it hears at once, and by the same errors as elsewhere, what
 * cannot be stored. Only the payload goes as it is: a schema may have made dates of its texts.
 */
import type { HandlerContext, RunLog } from '../run/handler.ts'
import type { ThrownRecord } from './thrown.ts'

/** What a handler is told of its run. */
export type RunFacts = Omit<
  HandlerContext,
  'signal' | 'log' | 'progress' | 'heartbeat' | 'checkpoint' | 'secret' | 'tx' | 'transaction'
>

export type ToIsolate =
  | { readonly kind: 'run'; readonly payload: unknown; readonly facts: RunFacts }
  | { readonly kind: 'abort'; readonly name: string; readonly message: string }
  /** A checkpoint is stored and a secret was read, or not. */
  | {
      readonly kind: 'kept'
      readonly call: number
      readonly refused: ThrownRecord | null
      readonly value?: string
    }

export type FromIsolate =
  | {
      readonly kind: 'log'
      readonly level: keyof RunLog
      readonly message: string
      /** JSON. */
      readonly data: string | undefined
    }
  | { readonly kind: 'progress'; readonly value: string }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'checkpoint'; readonly call: number; readonly state: string }
  | { readonly kind: 'secret'; readonly call: number; readonly name: string }
  | { readonly kind: 'returned'; readonly output: string }
  /** `spent` when nothing more can be run there: what could not be loaded once is not loaded again. */
  | { readonly kind: 'threw'; readonly thrown: ThrownRecord; readonly spent: boolean }
  /** An error that nobody caught; the process ends. */
  | { readonly kind: 'crashed'; readonly thrown: ThrownRecord }

/** A handler may send messages of its own on the same line: ours say that they are. */
const OURS = 'punctual/isolate'

export interface MarkedMessage {
  readonly by: typeof OURS
  readonly message: FromIsolate
}

export function markMessage(message: FromIsolate): MarkedMessage {
  return { by: OURS, message }
}

/** What we have said ourselves; null of anything else, which nobody listens to. */
export function readMarked(came: unknown): FromIsolate | null {
  const marked = came as Partial<MarkedMessage> | null | undefined
  return marked?.by === OURS ? (marked.message ?? null) : null
}
