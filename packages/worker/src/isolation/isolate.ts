/** A thread or a process that runs one handler, one run at a time, and can be ended whatever the handler does. */
import { existsSync } from 'node:fs'
import type { HandlerModule } from './inside.ts'
import type { FromIsolate, ToIsolate } from './messages.ts'

export interface IsolateOptions {
  readonly handler: string
  readonly module: HandlerModule
  /** How much its objects may take; more ends it. */
  readonly memoryMb: number | null
}

export interface IsolateEvents {
  onMessage(message: FromIsolate): void
  /** It has ended; it tells why, should anybody have waited for it. */
  onGone(why: Error): void
}

export interface Isolate {
  /** Throws when the message cannot be sent: of a payload that a schema has made into something odd. */
  post(message: ToIsolate): void
  /** Ends it now. What it runs is over, in the middle of a loop too. */
  kill(): void
}

export type LaunchIsolate = (options: IsolateOptions, events: IsolateEvents) => Isolate

/** A file that runs elsewhere: compiled, also when this one is run from its source by a test. */
export function compiledFile(beside: URL): URL {
  if (existsSync(beside)) return beside
  return new URL(beside.href.replace(/\/src\/(isolation\/[^/]+)$/, '/dist/$1'))
}

/** Tests of this repository run its source by this condition, which does not suit what is compiled. */
const OF_THE_SOURCE = '@punctual/source'

/** The options that Node.js was started with here: a handler's module may need them there. */
export function inheritedOptions(): string[] {
  return process.execArgv.filter(
    (option, at, all) =>
      !option.includes(OF_THE_SOURCE) && !(all[at + 1] === OF_THE_SOURCE) && !isInspect(option),
  )
}

/** Two cannot listen for one debugger. */
const isInspect = (option: string) => option.startsWith('--inspect')
