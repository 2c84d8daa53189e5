/**
 * Authenticates callers by API key. Looks a key up by its public part and compares its hash in
 * constant time. The answer is cached for at most two seconds and dropped at a hint, so that a
 * revocation holds within seconds on every node, with or without hints; expiry is checked at every
 * call. The use of a key is recorded in the background, at most once a minute, and never delays a
 * caller.
 */
import { timingSafeEqual } from 'node:crypto'
import { PunctualError } from '@punctual/core/errors'
import { type Caller, prefixOfApiKey } from '@punctual/core/identity'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import { TtlCache } from '../tenants/ttl-cache.ts'
import { hashOf } from './api-key-store.ts'
import { noteUses, recogniseApiKey } from './statements.gen.ts'

interface KnownKey {
  readonly hash: string
  readonly expiresMs: number | null
  readonly revoked: boolean
  readonly caller: Caller
}

const HOLDS_MS = 2_000
const KEYS_MAX = 10_000
const NOTE_AGAIN_MS = 60_000

export class Authenticator {
  readonly #database: Database
  readonly #keys: TtlCache<string, KnownKey | null>
  /** When the use of a key was last recorded here. */
  readonly #noted = new Map<string, number>()
  readonly #toNote = new Set<string>()
  #noting: Promise<void> | null = null

  constructor(database: Database, signals: Signals) {
    this.#database = database
    this.#keys = new TtlCache({
      ...{ clock: database.localClock, holdsMs: HOLDS_MS, most: KEYS_MAX },
      // Outside the caller's transaction: its rollback must not undo what is cached here, and the
      // lookup must not wait for it.
      ask: (prefix) => database.ambient.outside(() => this.#look(prefix)),
    })
    signals.onHint(({ identity }) => identity && this.#keys.forget())
    database.onNewTimeline.push(() => this.#keys.forget())
  }

  /**
   * Answers without a promise when it knows the key.
   * @throws `PunctualError` with `unauthenticated`
   */
  authenticate(key: unknown): Caller | Promise<Caller> {
    const prefix = prefixOfApiKey(key)
    if (prefix === null || typeof key !== 'string')
      return refuse('The API key is malformed: it was cut, extended or mistyped')
    const known = this.#keys.get(prefix)
    return known instanceof Promise
      ? known.then((found) => this.#check(key, found))
      : this.#check(key, known)
  }

  #check(key: string, known: KnownKey | null): Caller {
    // One answer for an unknown key and for a wrong secret: the difference helps only a guesser.
    if (!known || !isSame(known.hash, hashOf(key))) refuse('The API key is unknown')
    if (known.revoked) refuse('The API key is revoked')
    if (known.expiresMs !== null && known.expiresMs <= this.#database.clock.nowMs())
      refuse('The API key has expired')
    this.#note(known.caller.keyId)
    return known.caller
  }

  async #look(prefix: string): Promise<KnownKey | null> {
    const [row] = await this.#database.identity.run(recogniseApiKey(prefix))
    if (!row) return null
    const { id, name, hash, scopes, expiresMs, tenantId, tenantName } = row
    return {
      hash,
      expiresMs,
      revoked: row.revoked || row.erased,
      caller: {
        keyId: id,
        keyName: name,
        tenantId,
        tenantName,
        tenantSuspended: row.suspended,
        scopes,
      },
    }
  }

  #note(keyId: string): void {
    const nowMs = this.#database.localClock.monotonicMs()
    const notedMs = this.#noted.get(keyId)
    if (notedMs !== undefined && nowMs - notedMs < NOTE_AGAIN_MS) return
    if (this.#noted.size >= KEYS_MAX) this.#noted.clear()
    this.#noted.set(keyId, nowMs)
    this.#toNote.add(keyId)
    const write = () => this.#writeNotes()
    this.#noting ??= this.#database.ambient.outside(write).finally(() => {
      this.#noting = null
    })
  }

  /** Keys used during a write go with the next write. */
  async #writeNotes(): Promise<void> {
    while (this.#toNote.size > 0) {
      const ids = [...this.#toNote]
      this.#toNote.clear()
      // If the write fails, the next use after a minute tries again.
      await this.#database.control.run(noteUses(uuidArray(ids))).catch(() => undefined)
    }
  }

  async close(): Promise<void> {
    await this.#noting
  }
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'))
}

function refuse(why: string): never {
  throw new PunctualError('unauthenticated', `${why}. Send \`Authorization: Bearer <key>\`.`)
}
