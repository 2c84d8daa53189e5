/**
 * Previews the next fires so that a user can check them before saving a schedule: with local time,
 * and a note where a clock change moves, repeats or drops one.
 */

import { refuseOption } from '../check/refuse-option.ts'
import { localClock, localDate, noteOf, two } from './fire-note.ts'
import { compileFires, type FiresOptions, firesOf } from './next-fires.ts'
import { nextSlot, type Timing } from './timing.ts'
import { DAY_MS } from './zones/civil.ts'
import { clockChanges } from './zones/clock-change.ts'
import type { Zone } from './zones/zone.ts'

export interface PreviewOptions extends FiresOptions {
  /** Also show the fires around the next two clock changes. @default false */
  readonly aroundChanges?: boolean
}

/** A fire with its local time. */
export interface FirePreview {
  /** The instant. */
  readonly at: Date
  /** The local time with its offset: `2026-03-29T03:00:00+02:00`. */
  readonly local: string
  /** The effect of a clock change on this fire: `moved: 02:30 does not exist on this day`. */
  readonly note?: string
  /** The clock change around which it is shown, when it is not one of the next fires. */
  readonly around?: Date
}

const CHANGES_SHOWN = 2
/** A time zone with daylight saving changes its clocks twice a year. */
const CHANGES_WITHIN_MS = 800 * DAY_MS
const SHOWN_BEFORE = 2
const SHOWN_AFTER = 3
/** How far before a change to search for earlier fires, until enough are found. */
const LOOK_BACK_MS = [120_000, 7_200_000, 26 * 3_600_000]

/** Throws the same errors as `nextFires`. */
export function previewFires(expression: string | number, options: PreviewOptions): FirePreview[] {
  const { timing, fromMs, count } = compileFires(expression, options, ['aroundChanges'])
  const { aroundChanges = false } = options
  if (typeof aroundChanges !== 'boolean')
    refuseOption('aroundChanges', 'true or false', aroundChanges)
  const fires = firesOf(expression, timing, fromMs, count)
  const previews = previewsOf(timing, fires, fromMs)
  if (!aroundChanges) return previews
  let lastMs = fires.at(-1) as number
  for (const { startMs } of clockChanges(
    timing.zone,
    fromMs,
    fromMs + CHANGES_WITHIN_MS,
    CHANGES_SHOWN,
  )) {
    const around = new Date(startMs)
    const { beforeMs, found } = firesAround(timing, startMs)
    for (const preview of previewsOf(timing, found, beforeMs))
      if (preview.at.getTime() > lastMs) previews.push({ ...preview, around })
    lastMs = Math.max(lastMs, found.at(-1) ?? 0)
  }
  return previews
}

function previewsOf(timing: Timing, fires: readonly number[], fromMs: number): FirePreview[] {
  return fires.map((ms, i) => {
    const note = noteOf(timing, ms, fires[i - 1] ?? fromMs)
    const preview = { at: new Date(ms), local: localText(timing.zone, ms) }
    return note === null ? preview : { ...preview, note }
  })
}

/**
 * Finds the last fires before a change and the first after it; `beforeMs` is where the search
 * began.
 */
function firesAround(timing: Timing, changeMs: number): { beforeMs: number; found: number[] } {
  let before: number[] = []
  let beforeMs = changeMs
  for (const lookBackMs of LOOK_BACK_MS) {
    if (before.length >= SHOWN_BEFORE) break
    beforeMs = changeMs - lookBackMs
    before = slots(timing, beforeMs, changeMs, Number.POSITIVE_INFINITY)
  }
  const after = slots(timing, changeMs - 1, Number.POSITIVE_INFINITY, SHOWN_AFTER)
  return { beforeMs, found: [...before.slice(-SHOWN_BEFORE), ...after] }
}

function slots(timing: Timing, afterMs: number, beforeMs: number, slotsMax: number): number[] {
  const found: number[] = []
  let ms = nextSlot(timing, afterMs)
  while (ms !== null && ms < beforeMs && found.length < slotsMax) {
    found.push(ms)
    ms = nextSlot(timing, ms)
  }
  return found
}

function localText(zone: Zone, ms: number): string {
  const offsetMs = zone.offsetAt(ms)
  const wallMs = ms + offsetMs
  const seconds = Math.abs(offsetMs) / 1_000
  const offset = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const parts = offset[2] === 0 ? offset.slice(0, 2) : offset
  const sign = offsetMs < 0 ? '-' : '+'
  return `${localDate(wallMs)}T${localClock(wallMs)}${sign}${parts.map(two).join(':')}`
}
