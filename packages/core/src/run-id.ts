/**
 * Run ids are UUIDv7 whose time is the run's due time, never earlier than its creation by the
 * database's clock: history is partitioned by day on the id itself, and a look-up prunes to one day.
 * A run due beyond the days that have partitions takes its creation time instead.
 *
 * Ids of one source that fall into one millisecond are ordered by a 20-bit counter, so that runs
 * submitted together keep their order.
 */
import type { Random } from './ports/clock.ts'

const DAY_MS = 86_400_000
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const COUNTER_LIMIT = 1 << 20
const POOL_BYTES = 4_096

export class RunIdSource {
  readonly #random: Random
  readonly #pool = new Uint8Array(POOL_BYTES)
  #used = POOL_BYTES
  #lastMs = -1
  #counter = 0

  constructor(random: Random) {
    this.#random = random
  }

  next(timeMs: number): string {
    const ms = Math.floor(timeMs)
    this.#counter = ms === this.#lastMs ? (this.#counter + 1) % COUNTER_LIMIT : 0
    this.#lastMs = ms
    if (this.#used + 7 > POOL_BYTES) {
      this.#random.fill(this.#pool)
      this.#used = 0
    }
    const pool = this.#pool
    const at = this.#used
    this.#used = at + 7
    const high = this.#counter >>> 8
    const low = this.#counter & 0xff
    const time = ms.toString(16).padStart(12, '0')
    const b = (i: number) => HEX[pool[at + i] as number] as string
    const version = `7${high.toString(16).padStart(3, '0')}`
    // The variant is the two high bits of byte 8; the low eight bits of the counter follow it.
    const variant =
      (HEX[0x80 | (low >>> 2)] as string) +
      (HEX[((low & 3) << 6) | ((pool[at] as number) & 0x3f)] as string)
    return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}-${b(1)}${b(2)}${b(3)}${b(4)}${b(5)}${b(6)}`
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isRunId(text: string): boolean {
  return UUID.test(text)
}

/** The millisecond that an id carries. */
export function runIdTimeMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** The smallest id of a millisecond: the bound of a partition. */
export function runIdFloor(timeMs: number): string {
  const time = Math.floor(timeMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

/** The time that a new run's id carries. */
export function runIdTimeFor(dueMs: number | null, nowMs: number, daysAhead: number): number {
  if (dueMs === null || dueMs <= nowMs) return nowMs
  return dueMs - nowMs > (daysAhead - 1) * DAY_MS ? nowMs : dueMs
}
