/**
 * Knows, on one connection, when the server has committed something: it follows what the client
 * sends (statements, binds, syncs) and what the server answers to each. When it is told to, it
 * keeps the next answer that says "committed" from the client: the work is done, and nobody hears
 * of it.
 *
 * Most statements of the product are transactions of their own, so "committed" is not the tag
 * COMMIT alone: it is a batch that wrote, ended without an error, and left no transaction open.
 */
import { type Message, Messages, textAt } from './messages.ts'
import type { Passed, Watch } from './watch.ts'

interface Batch {
  /** What it writes, for the report; null while nothing of it writes. */
  writes: string | null
  failed: boolean
}

const WRITES = /\b(?:insert\s+into|update\s+\w+|delete\s+from|commit)\b/i
const IDLE = 'I'

/** Its first line that is not empty, as far as it fits. */
function nameOf(text: string): string {
  const line = text.split('\n').find((it) => it.trim() !== '') ?? ''
  return line
    .replace(/^--\s*/, '')
    .trim()
    .slice(0, 60)
}

/** The first message is a version, and then names and values. */
function applicationIn(body: Buffer): string {
  let [name, value] = [textAt(body, 4), textAt(body, 4)]
  for (let from = 4; from < body.length && name.text !== 'application_name'; from = value.end) {
    name = textAt(body, from)
    value = textAt(body, name.end)
  }
  return value.text
}

export class CommitWatch implements Watch {
  readonly #fromClient = new Messages('client')
  readonly #fromServer = new Messages('server')
  /** Of statements that were prepared: what they write. */
  readonly #statements = new Map<string, string | null>()
  readonly #batches: Batch[] = []
  #building: Batch = { writes: null, failed: false }
  #held: Buffer[] = []
  #greeted = false
  application = ''

  sent(piece: Buffer): void {
    for (const message of this.#fromClient.take(piece)) this.#note(message)
  }

  #note({ type, body }: Message): void {
    if (type === 'P') {
      const name = textAt(body, 0)
      const { text } = textAt(body, name.end)
      const label = name.text === '' ? nameOf(text) : name.text
      this.#statements.set(name.text, WRITES.test(text) ? label : null)
    } else if (type === 'B') {
      const statement = textAt(body, textAt(body, 0).end).text
      this.#building.writes ??= this.#statements.get(statement) ?? null
    } else if (type === 'Q') {
      const { text } = textAt(body, 0)
      if (WRITES.test(text)) this.#building.writes ??= nameOf(text)
      this.#endBatch()
    } else if (type === 'S') this.#endBatch()
    else if (type === '') this.application = applicationIn(body)
  }

  #endBatch(): void {
    this.#batches.push(this.#building)
    this.#building = { writes: null, failed: false }
  }

  answered(piece: Buffer, armed: (writes: string) => boolean): Passed {
    const forward: Buffer[] = []
    for (const message of this.#fromServer.take(piece)) {
      const batch = this.#greeted ? this.#batches[0] : undefined
      if (message.type === 'E' && batch) batch.failed = true
      const suspect = batch?.writes != null && !batch.failed && armed(batch.writes)
      if (message.type !== 'Z') {
        // Held until it is known how its batch ends; also what is told beside it keeps its place.
        if (suspect) this.#held.push(message.bytes)
        else forward.push(...this.#held.splice(0), message.bytes)
        continue
      }
      const committed = suspect && String.fromCharCode(message.body[0] as number) === IDLE
      if (committed) return { forward, swallowed: batch.writes }
      forward.push(...this.#held.splice(0), message.bytes)
      if (this.#greeted) this.#batches.shift()
      this.#greeted = true
    }
    return { forward, swallowed: null }
  }
}
