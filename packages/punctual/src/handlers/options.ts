/** The options of handlers, as users write them, and what a handler may be. */
import type { BatchFunction, HandlerFunction, HandlerOptions } from '@punctual/worker'
import type { GivenSchema } from './given-schema.ts'

/** A handler that runs in the process and thread of the program. */
export interface InlineOptions extends HandlerOptions {
  /** It shares the event loop with everything else. @default 'inline' */
  readonly isolation?: 'inline'
}

/** A handler in a thread or a process of its own. */
export interface IsolatedOptions extends HandlerOptions {
  /**
   * Where the handler runs: in a thread, or in a process of its own. There it is killed at its timeout or cancellation,
   * one second after its signal was aborted, even when it blocks.
   */
  readonly isolation: 'thread' | 'process'
  /** How many MiB its JavaScript objects may take; more ends it and fails the attempt. @default Node's own limit */
  readonly memoryMb?: number
}

/** A handler that takes several runs in one call. */
export interface BatchOptions extends InlineOptions {
  /** How many runs the handler is called with at most. More than the worker's concurrency are never there at once. */
  readonly batchSize: number
  /** How long the first run of a batch waits for others. @default 0: only for those that start with it */
  readonly batchWaitMs?: number
}

/** All of them together, as they are checked. */
export interface HandlerSettings extends HandlerOptions {
  readonly isolation?: 'inline' | 'thread' | 'process'
  readonly memoryMb?: number
  readonly batchSize?: number
  readonly batchWaitMs?: number
  readonly schema?: GivenSchema
}

/** What runs do: a function, one of batches, or the module of an isolated one. */
// biome-ignore lint/suspicious/noExplicitAny: handlers of every payload type are registered
export type HandlerBody = HandlerFunction<any, any> | BatchFunction<any> | URL

export type HandlerArgument = HandlerSettings | HandlerBody
