/**
 * What goes on inside of the thread or process of an isolated handler: loads its module, calls it with a context that
 * speaks with the worker, and says what came of it. One run at a time; the worker sees to that.
 */
import { encodeJson } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import type { HandlerContext, HandlerFunction, RunLog } from '../run/handler.ts'
import { safeJson, safeText } from '../run/run-logs.ts'
import type { FromIsolate, RunFacts, ToIsolate } from './messages.ts'
import { recordThrown, reviveThrown } from './thrown.ts'

export interface HandlerModule {
  /** Where it is: a file URL. */
  readonly url: string
  readonly exportName: string
  /** What is to be loaded before it, such as a compiler. */
  readonly preload: string | null
}

type Say = (message: FromIsolate) => void

/** Returns what takes the messages of the worker. */
export function openInside(module: HandlerModule, say: Say): (message: ToIsolate) => void {
  let call: Call | null = null
  return (message) => {
    if (message.kind === 'run') {
      call = new Call(message.facts, say)
      void call.run(module, message.payload)
    } else call?.told(message)
  }
}

async function load({ url, exportName, preload }: HandlerModule): Promise<HandlerFunction> {
  if (preload !== null) await import(preload)
  const exported = (await import(url)) as Record<string, unknown>
  // A CommonJS module comes as the default export of itself, also with another default inside.
  const inner = exported.default as Record<string, unknown> | undefined
  const found = [exported[exportName], inner?.[exportName]].find((it) => typeof it === 'function')
  if (found) return found as HandlerFunction
  throw new PunctualError(
    'invalid_option',
    `${url} has no function ${JSON.stringify(exportName)} among its exports. Export it, or name another behind a # in the URL.`,
    { field: 'module' },
  )
}

class Call {
  readonly #say: Say
  readonly #facts: RunFacts
  readonly #controller = new AbortController()
  readonly #kept = new Map<number, Waiting>()
  #calls = 0
  #ended = false

  constructor(facts: RunFacts, say: Say) {
    this.#facts = facts
    // What is left running behind the handler's back has no say any more.
    this.#say = (message) => {
      if (!this.#ended) say(message)
    }
  }

  told(message: Exclude<ToIsolate, { kind: 'run' }>): void {
    if (message.kind === 'abort') {
      this.#controller.abort(new DOMException(message.message, message.name))
      return
    }
    const waiting = this.#kept.get(message.call)
    this.#kept.delete(message.call)
    if (message.refused) waiting?.reject(reviveThrown(message.refused))
    else waiting?.resolve(message.value ?? '')
  }

  async run(module: HandlerModule, payload: unknown): Promise<void> {
    let loaded = false
    try {
      const handler = await load(module)
      loaded = true
      const value = await handler(payload, this.#context())
      this.#end({
        kind: 'returned',
        output: encodeJson(value, 'output', limits.payloadBytesCeiling),
      })
    } catch (thrown) {
      this.#end({ kind: 'threw', thrown: recordThrown(thrown), spent: !loaded })
    }
  }

  #end(message: FromIsolate): void {
    this.#say(message)
    this.#ended = true
  }

  #context(): HandlerContext {
    return {
      ...this.#facts,
      signal: this.#controller.signal,
      log: this.#log(),
      progress: (value) =>
        this.#say({
          kind: 'progress',
          value: encodeJson(value, 'progress', limits.logMessageLength),
        }),
      heartbeat: () => this.#say({ kind: 'heartbeat' }),
      checkpoint: (state) => this.#checkpoint(state),
      secret: (name) => this.#asked((call) => ({ kind: 'secret', call, name })),
      get tx(): never {
        throw notHere('ctx.tx')
      },
      transaction: async () => {
        throw notHere('ctx.transaction')
      },
    }
  }

  #log(): RunLog {
    const at = (level: keyof RunLog) => (message: string, data?: unknown) =>
      this.#say({
        kind: 'log',
        level,
        message: safeText(message),
        data: data === undefined ? undefined : safeJson(data),
      })
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  }

  async #checkpoint(state: unknown): Promise<void> {
    const encoded = encodeJson(state, 'checkpoint', limits.checkpointBytes)
    await this.#asked((call) => ({ kind: 'checkpoint', call, state: encoded }))
  }

  /** What the worker answers to this. */
  #asked(question: (call: number) => FromIsolate): Promise<string> {
    const call = this.#calls++
    return new Promise((resolve, reject) => {
      this.#kept.set(call, { resolve, reject })
      this.#say(question(call))
    })
  }
}

interface Waiting {
  readonly resolve: (value: string) => void
  readonly reject: (error: Error) => void
}

function notHere(what: string): PunctualError {
  return new PunctualError(
    'not_in_isolation',
    `${what} is a connection of the worker and cannot leave it. Use a connection of the handler's own, or isolation inline.`,
    { field: 'isolation' },
  )
}
