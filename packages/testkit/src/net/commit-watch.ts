/**
 * Detects, on one connection, that the server has committed something: it follows what the client
 * sends (statements, binds, syncs) and what the server answers to each. When armed, it withholds
 * the next "committed" answer from the client: the work is done, and the client does not learn it.
 *
 * Most statements of the product are separate transactions, so the tag COMMIT is not enough:
 * "committed" is a batch that wrote, ended without an error, and left no transaction open.
 */
import type { Fate } from './fate.ts'
import { type Message, Messages, textAt } from './messages.ts'
import type { Passed, Watch } from './watch.ts'

interface Batch {
  /** The statement that writes, for the report; null while none does. */
  writes: string | null
  failed: boolean
}

const WRITES = /\b(?:insert\s+into|update\s+\w+|delete\s+from|commit)\b/i
const IDLE = 'I'

/** The first line of the text that is not empty, shortened. */
function nameOf(text: string): string {
  const line = text.split('\n').find((line) => line.trim() !== '') ?? ''
  return line
    .replace(/^--\s*/, '')
    .trim()
    .slice(0, 60)
}

/** The first message is a version followed by names and values. */
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
  /** Names the writes of each prepared statement. */
  readonly #statements = new Map<string, string | null>()
  readonly #batches: Batch[] = []
  #building: Batch = { writes: null, failed: false }
  #held: Buffer[] = []
  #greeted = false
  application = ''

  sent(piece: Buffer): Fate {
    for (const message of this.#fromClient.take(piece)) this.#note(message)
    return 'pass'
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
        // Held until the end of its batch is known; messages in between keep their order.
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
