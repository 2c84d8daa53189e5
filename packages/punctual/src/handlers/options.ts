/** The options of handlers, as users write them, and the forms that a handler can have. */
import type { BatchFunction, HandlerFunction, HandlerOptions } from '@punctual/worker'
import type { GivenSchema } from './given-schema.ts'

/** Options of a handler that runs in the main thread of the process. */
export interface InlineOptions extends HandlerOptions {
  /**
   * `inline`: the handler shares the event loop with everything else in the process. @default
   * 'inline'
   */
  readonly isolation?: 'inline'
}

/** Options of a handler that runs in a separate thread or process. */
export interface IsolatedOptions extends HandlerOptions {
  /**
   * Where the handler runs: in a separate thread or a separate process. At its timeout or
   * cancellation its signal is aborted, and one second later the thread or process is killed, even
   * when the handler blocks.
   */
  readonly isolation: 'thread' | 'process'
  /**
   * Memory limit for its JavaScript objects, in MiB; exceeding it fails the attempt. @default
   * Node.js's own limit
   */
  readonly memoryMb?: number
}

/** Options of a handler that receives several runs in one call. */
export interface BatchOptions extends InlineOptions {
  /** The most runs in one call. A batch never exceeds the worker's concurrency. */
  readonly batchSize: number
  /**
   * How long the first run of a batch waits for others, in ms. @default 0: only runs that start
   * with it
   */
  readonly batchWaitMs?: number
}

/** The union of all handler options, as the checks read them. */
export interface HandlerSettings extends HandlerOptions {
  readonly isolation?: 'inline' | 'thread' | 'process'
  readonly memoryMb?: number
  readonly batchSize?: number
  readonly batchWaitMs?: number
  readonly schema?: GivenSchema
}

/** The body of a handler: a function, a batch function, or the module of an isolated handler. */
// biome-ignore lint/suspicious/noExplicitAny: handlers of every payload type are registered
export type HandlerBody = HandlerFunction<any, any> | BatchFunction<any> | URL

export type HandlerArgument = HandlerSettings | HandlerBody
