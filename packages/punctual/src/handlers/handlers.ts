/** The handlers of this process: their functions, payload schemas and middleware. */
import { PunctualError } from '@punctual/core/errors'
import type { RegisteredHandler } from '@punctual/worker'
import { atLater } from '../submit/submit-call.ts'
import { compileHandler } from './compile.ts'
import { checkMiddleware, type Middleware, surrounded } from './middleware.ts'
import type { HandlerArgument } from './options.ts'
import { type PayloadSchema, readPayload } from './payload-schema.ts'

export class Handlers {
  /** Those whose runs this process performs. */
  readonly all = new Map<string, RegisteredHandler>()
  /** All that users have registered. */
  readonly #names = new Set<string>()
  readonly #performs: boolean
  readonly #schemas = new Map<string, PayloadSchema>()
  readonly #middleware: Middleware[] = []
  readonly #closers: (() => Promise<void>)[] = []

  /** `performs`: false when this process only submits to its handlers. */
  constructor(performs = true) {
    this.#performs = performs
  }

  /** Adds what performs the runs of a kind of target; `close` ends what it keeps open. */
  add(registered: RegisteredHandler, close: () => Promise<void>): void {
    const run = surrounded(this.#middleware, registered.run)
    this.all.set(registered.name, { ...registered, run })
    this.#closers.push(close)
  }

  register(name: string, first: HandlerArgument, second: HandlerArgument | undefined): void {
    const { registered, schema, close } = compileHandler(name, first, second)
    if (this.#names.has(name))
      throw new PunctualError(
        'handler_duplicate',
        `This process already has a handler ${JSON.stringify(name)}. Give each handler its own name.`,
        { field: 'name' },
      )
    this.#names.add(name)
    if (this.#performs)
      this.all.set(name, { ...registered, run: surrounded(this.#middleware, registered.run) })
    if (schema) this.#schemas.set(name, schema)
    if (close) this.#closers.push(close)
  }

  /** Ends the threads and processes of isolated handlers. */
  async close(): Promise<void> {
    await Promise.all(this.#closers.map((close) => close()))
  }

  use(middleware: Middleware): void {
    this.#middleware.push(checkMiddleware(middleware))
  }

  /** Whether this process checks payloads of this handler. */
  hasSchema(name: string): boolean {
    return this.#schemas.has(name)
  }

  /** Rejects when a handler of this process would refuse the payload. */
  async checkPayload(name: string, payload: unknown): Promise<void> {
    const schema = this.#schemas.get(name)
    if (schema) await readPayload(schema, payload)
  }

  async checkPayloads(name: string, payloads: readonly unknown[]): Promise<void> {
    const schema = this.#schemas.get(name)
    if (!schema) return
    for (const [i, payload] of payloads.entries()) await atLater(i, readPayload(schema, payload))
  }
}
