/**
 * Sends the requests of the hostile tenant and counts them. Answers are read and forgotten, or read
 * slowly, or not at all: an attacker wants to cost the server more than himself.
 */
import { Agent, type IncomingMessage, request as send } from 'node:http'
import type { HostileKeys } from '../plan/tenants.ts'

export interface Outgoing {
  /** The attack that it belongs to. */
  readonly of: string
  readonly method: string
  /** Below /v1. */
  readonly path: string
  readonly key: string
  readonly body?: string
  readonly type?: string
  /** Reads nothing of the answer for this long. */
  readonly idleMs?: number
  /** The server is expected to hold the request, as long as it likes. */
  readonly held?: boolean
}

/** Status 0: no answer. */
export interface Answer {
  readonly status: number
  readonly text: string
}

const TEXT_MAX = 4_096
/** Connections to each node that are reused; requests that are held have others. */
const SOCKETS = 600

export class Sender {
  readonly keys: HostileKeys
  readonly servers: readonly string[]
  readonly ending: AbortSignal
  /** Requests by attack and status. */
  readonly counts = new Map<string, Map<number, number>>()
  sent = 0
  /** Answered with anything but 429: the requests that the nodes have admitted. */
  admitted = 0
  readonly #quick = new Agent({ keepAlive: true, maxSockets: SOCKETS })
  readonly #held = new Agent({ keepAlive: true })
  #turn = 0
  #serverTurn = 0

  constructor(servers: readonly string[], keys: HostileKeys, ending: AbortSignal) {
    this.servers = servers
    this.keys = keys
    this.ending = ending
    // One listener instead of one for each request, which would cost more than the request.
    ending.addEventListener('abort', () => {
      this.#quick.destroy()
      this.#held.destroy()
    })
  }

  key(scope: keyof HostileKeys): string {
    const keys = this.keys[scope]
    return keys[this.#turn++ % keys.length] ?? ''
  }

  /** The nodes in turn. */
  server(): string {
    return this.servers[this.#serverTurn++ % this.servers.length] ?? ''
  }

  /** Never rejects. */
  async send(outgoing: Outgoing): Promise<Answer> {
    if (this.ending.aborted) return { status: 0, text: '' }
    this.sent++
    const answer = await this.#exchange(outgoing).catch(() => ({ status: 0, text: '' }))
    if (!this.ending.aborted) this.#count(outgoing.of, answer.status)
    return answer
  }

  #count(attack: string, status: number): void {
    if (status !== 429 && status !== 0) this.admitted++
    const byStatus = this.counts.get(attack) ?? new Map<number, number>()
    this.counts.set(attack, byStatus)
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  }

  #exchange(request: Outgoing): Promise<Answer> {
    const { method, path, key, body, type, idleMs = 0, held = idleMs > 0 } = request
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && {
        'content-type': type ?? 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    }
    return new Promise((resolve, reject) => {
      const agent = held ? this.#held : this.#quick
      const options = { method, headers, agent }
      const outgoing = send(`${this.server()}/v1${path}`, options, (answer) => {
        const read = () => readAnswer(answer, resolve, reject)
        // waits: the attack is to read slowly
        if (idleMs > 0) setTimeout(read, idleMs)
        else read()
      })
      outgoing.once('error', reject)
      outgoing.end(body)
    })
  }
}

function readAnswer(
  answer: IncomingMessage,
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
): void {
  let text = ''
  answer.on('data', (piece: Buffer) => {
    if (text.length < TEXT_MAX) text += piece.toString('latin1')
  })
  answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }))
  answer.once('error', reject)
  // Ended before its end: no event says so once the answer has begun.
  answer.once('close', () => reject(new Error('the answer was cut off')))
}
