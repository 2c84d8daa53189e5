/**
 * Caches compiled timings by their input, so that a million jobs with equal schedules cost one
 * compilation, and one computation for each of their slots.
 *
 * The cache has two generations: a lookup puts its entry into the young generation; when that is
 * full it becomes the old one, and the previous old one is dropped. This bounds the number of
 * timings and keeps recently used ones, as an LRU list would, without moving an entry at every
 * lookup.
 */
import { usesSpread } from './parse-expression.ts'
import { anchorAt, compileUnanchored, nextSlot, type Timing, type TimingInput } from './timing.ts'

const TIMINGS_MAX = 100_000

/**
 * A timing and its two latest results, each of which holds for all instants from `after` to before
 * `next`.
 */
class Entry {
  readonly timing: Timing
  /** Whether it fires from the anchor of the requesting job, because it has none itself. */
  readonly anchored: boolean
  #afterMs = Number.POSITIVE_INFINITY
  #nextMs = Number.NEGATIVE_INFINITY
  #olderAfterMs = Number.POSITIVE_INFINITY
  #olderNextMs = Number.NEGATIVE_INFINITY

  constructor(timing: Timing, anchored: boolean) {
    this.timing = timing
    this.anchored = anchored
  }

  /** Returns Infinity when there is no next slot. */
  next(afterMs: number): number {
    if (afterMs >= this.#afterMs && afterMs < this.#nextMs) return this.#nextMs
    if (afterMs >= this.#olderAfterMs && afterMs < this.#olderNextMs) return this.#olderNextMs
    this.#olderAfterMs = this.#afterMs
    this.#olderNextMs = this.#nextMs
    this.#nextMs = nextSlot(this.timing, afterMs) ?? Number.POSITIVE_INFINITY
    this.#afterMs = afterMs
    return this.#nextMs
  }
}

export class TimingCache {
  readonly #generationSize: number
  #young = new Map<string, Entry>()
  #old = new Map<string, Entry>()

  /** Keeps at most `timingsMax` timings. */
  constructor(timingsMax: number = TIMINGS_MAX) {
    this.#generationSize = Math.max(1, Math.floor(timingsMax / 2))
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** Returns the compiled timing. Throws the same errors as `compileTiming`. */
  timing(input: TimingInput): Timing {
    const { timing, anchored } = this.#entry(input)
    return anchored ? anchorAt(timing, input.anchor) : timing
  }

  /** Returns the next slot strictly after `afterMs`; null when none is left. */
  nextSlot(input: TimingInput, afterMs: number): number | null {
    const entry = this.#entry(input)
    if (entry.anchored) return nextSlot(anchorAt(entry.timing, input.anchor), afterMs)
    const nextMs = entry.next(afterMs)
    return nextMs === Number.POSITIVE_INFINITY ? null : nextMs
  }

  #entry(input: TimingInput): Entry {
    const key = keyOf(input)
    if (key === null) return compile(input)
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const entry = this.#old.get(key) ?? compile(input)
    this.#old.delete(key)
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, entry)
    return entry
  }
}

function compile(input: TimingInput): Entry {
  const { timing, anchored } = compileUnanchored(input)
  return new Entry(timing, anchored)
}

/**
 * Returns null for input that is refused anyway. No valid part has a line break, so parts cannot
 * run together.
 */
function keyOf(input: TimingInput): string | null {
  const { expression, tz = '', gap = '', fold = '', dayRule = '', seed } = input
  if (typeof expression !== 'string')
    return typeof expression === 'number' && typeof tz === 'string'
      ? `${expression}\nms\n${tz}\n${gap}\n${fold}`
      : null
  if (typeof tz !== 'string') return null
  const spread = seed !== undefined && usesSpread(expression) ? seed : ''
  return `${expression}\n${tz}\n${gap}\n${fold}\n${dayRule}\n${spread}`
}
