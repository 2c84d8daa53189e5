/**
 * The oracle for schedules and clocks: it reads the local clock at each minute from
 * Intl.DateTimeFormat, and derives the fires of a pattern by checking every minute.
 *
 * It shares nothing with the engine: no parser (patterns are predicates), no table of offsets, no
 * date arithmetic. It restates the rule of the docs and of next-after.ts in the slowest way.
 */

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * A pattern, and whether a local time matches it; `wall` is a Date whose UTC fields show the local
 * clock.
 */
export interface KnownPattern {
  readonly expression: string
  readonly fixed: boolean
  readonly matches: (wall: Date) => boolean
}

export type ClockReader = (ms: number) => number

/**
 * Reads the local clock of a zone at an instant, as the milliseconds at which a UTC clock shows the
 * same.
 */
export function clockReader(zone: string): ClockReader {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (ms) => {
    const shown = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/.exec(format.format(ms))
    if (shown === null) throw new Error(`${zone} shows ${format.format(ms)}`)
    const [month, day, year, hour, minute, second] = shown.slice(1).map(Number) as number[]
    return Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second)
  }
}

/**
 * Returns the instants at which the clock jumps, to the minute, by sampling every six days and
 * bisecting.
 */
export function jumpsOf(read: ClockReader, fromMs: number, toMs: number): number[] {
  const jumps: number[] = []
  const offset = (ms: number) => read(ms) - ms
  let after = offset(fromMs)
  for (let at = fromMs; at < toMs; at += 6 * DAY_MS) {
    let low = at
    let high = Math.min(at + 6 * DAY_MS, toMs)
    const before = after
    after = offset(high)
    if (after === before) continue
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS
      if (offset(middle) === before) low = middle
      else high = middle
    }
    jumps.push(high)
  }
  return jumps
}

/** The readings of a local clock at every step. */
export interface Tape {
  readonly fromMs: number
  readonly stepMs: number
  readonly walls: Float64Array
}

/**
 * Records every step of a period. Where the clock advances by exactly a quarter of an hour in a
 * quarter of an hour, the steps in between are computed instead of read.
 */
export function record(read: ClockReader, fromMs: number, toMs: number, stepMs = MINUTE_MS): Tape {
  const walls = new Float64Array(Math.floor((toMs - fromMs) / stepMs) + 1)
  const stride = (15 * MINUTE_MS) / stepMs
  for (let i = 0; i < walls.length; i += stride) {
    const last = Math.min(i + stride, walls.length - 1)
    walls[i] = read(fromMs + i * stepMs)
    walls[last] = read(fromMs + last * stepMs)
    const even = (walls[last] as number) - (walls[i] as number) === (last - i) * stepMs
    for (let j = i + 1; j < last; j++)
      walls[j] = even ? (walls[i] as number) + (j - i) * stepMs : read(fromMs + j * stepMs)
  }
  return { fromMs, stepMs, walls }
}

/** Records the hours before and after a jump in which fires are compared. */
export function recordAround(read: ClockReader, jumpMs: number, hours = 26): Tape {
  return record(read, jumpMs - hours * HOUR_MS, jumpMs + hours * HOUR_MS)
}

/** A local time of a tape: the instants that show it, or the jump over it when none does. */
export interface LocalTime {
  readonly wall: Date
  /** The first and the last instant that shows it; NaN for a time in a gap. */
  readonly firstMs: number
  readonly lastMs: number
  /**
   * For a time in a gap: the first instant after the gap, and the instant later by its length.
   */
  readonly afterGapMs: number
  readonly shiftedMs: number
}

/** Visits local times step by step, so that times in a gap are visited too. */
export function localTimesOf({ walls, fromMs, stepMs }: Tape): LocalTime[] {
  const wallAt = (i: number) => walls[i] as number
  const firstWall = walls.reduce((a, b) => Math.min(a, b))
  const lastWall = walls.reduce((a, b) => Math.max(a, b))
  const size = (lastWall - firstWall) / stepMs + 1
  const firsts = new Float64Array(size).fill(Number.NaN)
  const lasts = new Float64Array(size).fill(Number.NaN)
  const jumps: number[] = []
  for (let i = 0; i < walls.length; i++) {
    const at = (wallAt(i) - firstWall) / stepMs
    if (Number.isNaN(firsts[at])) firsts[at] = fromMs + i * stepMs
    lasts[at] = fromMs + i * stepMs
    if (i > 0 && wallAt(i) - wallAt(i - 1) > stepMs) jumps.push(i)
  }
  return Array.from({ length: size }, (_, at): LocalTime => {
    const wallMs = firstWall + at * stepMs
    const over = jumps.find((i) => wallAt(i - 1) < wallMs && wallMs < wallAt(i)) ?? 0
    const afterGapMs = fromMs + over * stepMs
    return {
      wall: new Date(wallMs),
      firstMs: firsts[at] as number,
      lastMs: lasts[at] as number,
      afterGapMs,
      shiftedMs: over === 0 ? 0 : afterGapMs - stepMs + (wallMs - wallAt(over - 1)),
    }
  })
}

/** The rule: what of the local times that match becomes a fire. */
export function firesOf(
  matches: readonly LocalTime[],
  fixed: boolean,
  gap: 'run-after' | 'shift' | 'skip',
  overlap: 'first' | 'last' | 'both',
): number[] {
  const fires = new Set<number>()
  for (const { firstMs, lastMs, afterGapMs, shiftedMs } of matches) {
    const missing = Number.isNaN(firstMs)
    if (!missing && (!fixed || overlap !== 'last')) fires.add(firstMs)
    if (!missing && (!fixed || overlap !== 'first')) fires.add(lastMs)
    if (missing && fixed && gap !== 'skip') fires.add(gap === 'shift' ? shiftedMs : afterGapMs)
  }
  return [...fires].sort((a, b) => a - b)
}
