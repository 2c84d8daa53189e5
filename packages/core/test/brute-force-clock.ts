/**
 * The oracle for schedules and clocks: it knows what a local clock shows at each minute, because it asked
 * Intl.DateTimeFormat, and derives the fires of a pattern from that by looking at every one of them.
 *
 * It shares nothing with the engine: no parser (patterns are predicates), no table of offsets, no arithmetic of
 * dates. It restates the rule of docs and of next-after.ts in the slowest way.
 */

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** A pattern, and what it means for a local time; `wall` is a Date whose UTC fields show the local clock. */
export interface KnownPattern {
  readonly expression: string
  readonly fixed: boolean
  readonly matches: (wall: Date) => boolean
}

export type ClockReader = (ms: number) => number

/** Reads a zone's clock at an instant: what it shows, as milliseconds of a UTC clock that shows the same. */
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

/** The instants at which the clock jumps, to the minute, found by looking every six days and halving. */
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

/** What the clock shows, step by step. */
export interface Tape {
  readonly fromMs: number
  readonly stepMs: number
  readonly walls: Float64Array
}

/**
 * Every step of a stretch of time. Where the clock shows a quarter of an hour more after a quarter of an hour,
 * the steps between are not asked for one by one.
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

/** Hours before and after a jump that a tape holds, and that fires are compared for. */
export function recordAround(read: ClockReader, jumpMs: number, hours = 26): Tape {
  return record(read, jumpMs - hours * HOUR_MS, jumpMs + hours * HOUR_MS)
}

/** A local time of a tape: the instants that show it, or the jump over it when none does. */
export interface LocalTime {
  readonly wall: Date
  /** The first and the last instant that shows it; NaN for a time in a gap. */
  readonly firstMs: number
  readonly lastMs: number
  /** Of a time in a gap: the first instant after it, and the one that is later by the gap's length. */
  readonly afterGapMs: number
  readonly shiftedMs: number
}

/** Local times are visited step by step, so that those in a gap are visited too. */
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
