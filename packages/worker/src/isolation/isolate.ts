/**
 * A thread or a process that runs one handler, one run at a time, and can be ended even when the
 * handler blocks.
 */
import { existsSync } from 'node:fs'
import type { HandlerModule } from './inside.ts'
import type { FromIsolate, ToIsolate } from './messages.ts'

export interface IsolateOptions {
  readonly handler: string
  readonly module: HandlerModule
  /** Memory limit for its objects, in MiB; exceeding it ends the isolate. */
  readonly memoryMb: number | null
}

export interface IsolateEvents {
  onMessage(message: FromIsolate): void
  /** The isolate has ended; the error says why, for a call that is waiting. */
  onGone(why: Error): void
}

export interface Isolate {
  /**
   * Throws when the message cannot be sent: a schema may have turned the payload into a value that
   * cannot be cloned.
   */
  post(message: ToIsolate): void
  /** Ends the isolate at once, even in the middle of a loop. */
  kill(): void
}

export type LaunchIsolate = (options: IsolateOptions, events: IsolateEvents) => Isolate

/** The compiled file that runs in the isolate, also when a test runs this one from its source. */
export function compiledFile(sibling: URL): URL {
  if (existsSync(sibling)) return sibling
  return new URL(
    sibling.href.replace(/\/src\/((?:isolation|executors\/shell)\/[^/]+)$/, '/dist/$1'),
  )
}

/**
 * The condition with which tests of this repository run its source; compiled files must not inherit
 * it.
 */
const SOURCE_CONDITION = '@punctual/source'

/** The options with which this Node.js was started: the handler's module may need them. */
export function inheritedOptions(): string[] {
  return process.execArgv.filter(
    (option, index, all) =>
      !option.includes(SOURCE_CONDITION) &&
      !(all[index + 1] === SOURCE_CONDITION) &&
      !isInspect(option),
  )
}

/** Two processes cannot listen for the debugger on one port. */
const isInspect = (option: string) => option.startsWith('--inspect')
