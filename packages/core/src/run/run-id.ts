/**
 * Run ids are UUIDv7 whose time is the run's due time, but never earlier than its creation by the
 * database's clock: history is partitioned by day on the id itself, so a lookup by id reads one
 * day. A run due beyond the days that have partitions takes its creation time instead.
 *
 * Ids of one source within one millisecond are ordered by a 20-bit counter, so that runs submitted
 * together keep their order. When several batches plan runs for the same millisecond, the counter
 * continues where the last batch ended: ids then have the order in which their rows were written,
 * and reading rows in id order touches few pages.
 */
import type { Random } from '../clock/clock.ts'

const DAY_MS = 86_400_000
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const HEX_12_BITS = Array.from({ length: 4_096 }, (_, n) => n.toString(16).padStart(3, '0'))
const COUNTER_LIMIT = 1 << 20
const POOL_BYTES = 4_096
/** The number of milliseconds whose last counters are kept. */
const KNOWN_MAX = 4_096

export class RunIdSource {
  readonly #random: Random
  readonly #pool = new Uint8Array(POOL_BYTES)
  #used = POOL_BYTES
  #lastMs = -1
  #prefix = ''
  #counter = 0
  /** The last counter of each recently used millisecond. */
  readonly #known = new Map<number, number>()

  constructor(random: Random) {
    this.#random = random
  }

  next(timeMs: number): string {
    const ms = Math.floor(timeMs)
    if (ms !== this.#lastMs) {
      const time = ms.toString(16).padStart(12, '0')
      this.#prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`
      if (this.#known.size >= KNOWN_MAX) this.#known.clear()
      this.#known.set(this.#lastMs, this.#counter)
      this.#counter = this.#known.get(ms) ?? -1
      this.#lastMs = ms
    }
    this.#counter = (this.#counter + 1) % COUNTER_LIMIT
    if (this.#used + 7 > POOL_BYTES) {
      this.#random.fill(this.#pool)
      this.#used = 0
    }
    const pool = this.#pool
    const at = this.#used
    this.#used = at + 7
    const counter = this.#counter
    const hex = (byte: number) => HEX[byte] as string
    const noise = (i: number) => HEX[pool[at + i] as number] as string
    // The counter's high 12 bits follow the version; the two high bits of byte 8 are the variant,
    // and the counter's low 8 bits follow those.
    const high = HEX_12_BITS[counter >>> 8]
    const low =
      hex(0x80 | ((counter & 0xff) >>> 2)) +
      hex(((counter & 3) << 6) | ((pool[at] as number) & 0x3f))
    return `${this.#prefix}${high}-${low}-${noise(1)}${noise(2)}${noise(3)}${noise(4)}${noise(5)}${noise(6)}`
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isRunId(text: string): boolean {
  return UUID.test(text)
}

/** Returns the millisecond that an id encodes. */
export function runIdTimeMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** Returns the smallest id of a millisecond: the bound of a partition. */
export function runIdFloor(timeMs: number): string {
  const time = Math.floor(timeMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

/** Returns the time that a new run's id encodes. */
export function runIdTimeFor(dueMs: number | null, nowMs: number, daysAhead: number): number {
  if (dueMs === null || dueMs <= nowMs) return nowMs
  return dueMs - nowMs > (daysAhead - 1) * DAY_MS ? nowMs : dueMs
}
