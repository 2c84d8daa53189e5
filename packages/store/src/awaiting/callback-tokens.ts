/**
 * Tokens with which targets report the outcome of an attempt. A token names its attempt and proves by
 * a code that this installation has made it: it is not stored, and a forged one is refused without a
 * query. It is not the fence: the fences of one claim follow each other, and a target could guess
 * those of others.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '@punctual/core/clock'
import type { ReportedAttempt } from '@punctual/core/ports'
import type { Database } from '../connection/database.ts'
import { addCallbackKey, listCallbackKeys } from './statements.gen.ts'

const PREFIX = 'pcb1_'
const CODE_BYTES = 16
const KEY_BYTES = 32
/** Another process may have made a newer key. */
const READ_AGAIN_MS = 10_000

interface Key {
  readonly id: number
  readonly secret: Buffer
}

export class CallbackTokens {
  readonly #database: Database
  readonly #random: Random
  #keys: readonly Key[] = []
  #readAtMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(database: Database, random: Random) {
    this.#database = database
    this.#random = random
  }

  async make(attempt: ReportedAttempt): Promise<string> {
    if (this.#keys.length === 0) await this.#read(true)
    const [key] = this.#keys
    if (!key) throw new Error('the table of callback keys is empty although one was just made')
    const named = `${key.id}.${attempt.tenantId}.${attempt.runId}.${attempt.attempt}`
    return (
      PREFIX + Buffer.concat([Buffer.from(`${named}.`), code(key, named)]).toString('base64url')
    )
  }

  /** The attempt that a token speaks for; null when this installation has not made it. */
  async read(token: string): Promise<ReportedAttempt | null> {
    const parts = partsOf(token)
    if (!parts) return null
    let key = this.#keyOf(parts.keyId)
    if (!key) {
      await this.#read(false)
      key = this.#keyOf(parts.keyId)
    }
    if (!key || !timingSafeEqual(code(key, parts.named), parts.code)) return null
    return parts.attempt
  }

  #keyOf(id: number): Key | undefined {
    return this.#keys.find((key) => key.id === id)
  }

  /** Concurrent calls share one read; forged tokens cause at most one in ten seconds. */
  async #read(make: boolean): Promise<void> {
    if (this.#reading !== null) return this.#reading
    const nowMs = this.#database.localClock.monotonicMs()
    if (!make && nowMs - this.#readAtMs < READ_AGAIN_MS) return
    this.#readAtMs = nowMs
    this.#reading = this.#database.ambient
      .outside(() => this.#readKeys(make))
      .finally(() => {
        this.#reading = null
      })
    await this.#reading
  }

  async #readKeys(make: boolean): Promise<void> {
    const { control } = this.#database
    if (make) {
      const secret = Buffer.alloc(KEY_BYTES)
      this.#random.fill(secret)
      await control.run(addCallbackKey(secret.toString('hex'), null))
    }
    const rows = await control.run(listCallbackKeys())
    this.#keys = rows.map(({ id, secret }) => ({ id, secret: Buffer.from(secret, 'hex') }))
  }
}

function code({ secret }: Key, named: string): Buffer {
  return createHmac('sha256', secret).update(named).digest().subarray(0, CODE_BYTES)
}

const NAMED = /^(\d{1,5})\.(\d{1,10})\.([0-9a-f-]{36})\.(\d{1,5})\.$/

function partsOf(token: string) {
  if (!token.startsWith(PREFIX) || token.length > 200) return null
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url')
  if (bytes.length <= CODE_BYTES) return null
  const text = bytes.subarray(0, -CODE_BYTES).toString('latin1')
  const found = NAMED.exec(text)
  if (!found) return null
  const [, keyId, tenantId, runId = '', attempt] = found
  return {
    keyId: Number(keyId),
    named: text.slice(0, -1),
    code: bytes.subarray(-CODE_BYTES),
    attempt: { tenantId: Number(tenantId), runId, attempt: Number(attempt) },
  }
}
