/**
 * Runs inside the thread or process of an isolated handler: loads the handler's module, calls it
 * with a context that sends messages to the worker, and reports the outcome. It runs one run at a
 * time, which the worker ensures.
 */
import { encodeJson } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import { Awaiting } from '../handler/awaiting.ts'
import type { HandlerContext, HandlerFunction, RunLog } from '../handler/handler.ts'
import { safeJson, safeText } from '../reports/run-logs.ts'
import type { FromIsolate, RunFacts, ToIsolate } from './messages.ts'
import { recordThrown, reviveThrown } from './thrown.ts'

export interface HandlerModule {
  /** The file URL of the module. */
  readonly url: string
  readonly exportName: string
  /** A module to load first, such as a compiler. */
  readonly preload: string | null
}

type Send = (message: FromIsolate) => void

/** Returns the function that receives the messages of the worker. */
export function openInside(module: HandlerModule, send: Send): (message: ToIsolate) => void {
  let call: Call | null = null
  return (message) => {
    if (message.kind === 'run') {
      call = new Call(message.facts, send)
      void call.run(module, message.payload)
    } else call?.receive(message)
  }
}

async function load({ url, exportName, preload }: HandlerModule): Promise<HandlerFunction> {
  if (preload !== null) await import(preload)
  const exported = (await import(url)) as Record<string, unknown>
  // A CommonJS module is imported as its own default export, which may have another default inside.
  const inner = exported.default as Record<string, unknown> | undefined
  const found = [exported[exportName], inner?.[exportName]].find(
    (candidate) => typeof candidate === 'function',
  )
  if (found) return found as HandlerFunction
  throw new PunctualError(
    'invalid_option',
    `${url} exports no function ${JSON.stringify(exportName)}. Export it, or name another export after a # in the URL.`,
    { field: 'module' },
  )
}

class Call {
  readonly #send: Send
  readonly #facts: RunFacts
  readonly #controller = new AbortController()
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  #ended = false

  constructor(facts: RunFacts, send: Send) {
    this.#facts = facts
    // Work that is still running after the handler has returned must not send messages.
    this.#send = (message) => {
      if (!this.#ended) send(message)
    }
  }

  receive(message: Exclude<ToIsolate, { kind: 'run' }>): void {
    if (message.kind === 'abort') {
      this.#controller.abort(new DOMException(message.message, message.name))
      return
    }
    const waiting = this.#waiting.get(message.call)
    this.#waiting.delete(message.call)
    if (message.refused) waiting?.reject(reviveThrown(message.refused))
    else waiting?.resolve(message.value ?? '')
  }

  async run(module: HandlerModule, payload: unknown): Promise<void> {
    let loaded = false
    try {
      const handler = await load(module)
      loaded = true
      const value = await handler(payload, this.#context())
      if (Awaiting.isOne(value)) this.#end({ kind: 'awaits', options: value.options })
      else
        this.#end({
          kind: 'returned',
          output: encodeJson(value, 'output', limits.payloadBytesCeiling),
        })
    } catch (thrown) {
      this.#end({ kind: 'threw', thrown: recordThrown(thrown), spent: !loaded })
    }
  }

  #end(message: FromIsolate): void {
    this.#send(message)
    this.#ended = true
  }

  #context(): HandlerContext {
    return {
      ...this.#facts,
      signal: this.#controller.signal,
      log: this.#log(),
      progress: (value) =>
        this.#send({
          kind: 'progress',
          value: encodeJson(value, 'progress', limits.logMessageLength),
        }),
      heartbeat: () => this.#send({ kind: 'heartbeat' }),
      checkpoint: (state) => this.#checkpoint(state),
      secret: (name) => this.#request((call) => ({ kind: 'secret', call, name })),
      callback: async () => JSON.parse(await this.#request((call) => ({ kind: 'callback', call }))),
      awaitCallback: (options = {}) => new Awaiting(options),
      get tx(): never {
        throw unavailable('ctx.tx')
      },
      transaction: async () => {
        throw unavailable('ctx.transaction')
      },
    }
  }

  #log(): RunLog {
    const at = (level: keyof RunLog) => (message: string, data?: unknown) =>
      this.#send({
        kind: 'log',
        level,
        message: safeText(message),
        data: data === undefined ? undefined : safeJson(data),
      })
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  }

  async #checkpoint(state: unknown): Promise<void> {
    const encoded = encodeJson(state, 'checkpoint', limits.checkpointBytes)
    await this.#request((call) => ({ kind: 'checkpoint', call, state: encoded }))
  }

  /** Sends a request to the worker and returns its answer. */
  #request(requestOf: (call: number) => FromIsolate): Promise<string> {
    const call = this.#calls++
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject })
      this.#send(requestOf(call))
    })
  }
}

interface Waiting {
  readonly resolve: (value: string) => void
  readonly reject: (error: Error) => void
}

function unavailable(member: string): PunctualError {
  return new PunctualError(
    'not_in_isolation',
    `${member} uses a connection of the worker, which an isolated handler cannot share. Open a connection in the handler, or use isolation "inline".`,
    { field: 'isolation' },
  )
}
