/**
 * Weekly windows: on these weekdays, from one time of day to another. The end is not part of a
 * window. A window whose end is before its start continues past midnight into the day after its
 * weekday.
 */
import { PunctualError } from '../../errors/errors.ts'
import { cronFields } from '../cron/cron-field.ts'
import { checkExpression } from '../cron/expression-error.ts'
import { parseField } from '../cron/parse-field.ts'
import { DAY_MS } from '../zones/civil.ts'
import { refuseEntry } from './calendar-error.ts'

/** A weekly window. If its end is before its start, it continues past midnight. */
export interface WindowInput {
  /** Weekdays as in a cron expression: `MON-FRI`, `1,3,5`. @default '*' */
  readonly days?: string
  /** The first minute: `09:00`. */
  readonly from: string
  /** The first minute after the window: `17:30`; `24:00` is the end of the day. */
  readonly to: string
}

/** Per weekday, from Sunday: start and end of each window, in milliseconds of the day. */
export type WeeklyWindows = readonly (readonly (readonly [fromMs: number, toMs: number])[])[]

export function parseWindows(field: string, input: unknown): WeeklyWindows {
  if (!Array.isArray(input)) return refuseEntry(field, 'an array of windows', input)
  const week: [number, number][][] = [[], [], [], [], [], [], []]
  input.forEach((window: unknown, i) => {
    addWindow(`${field}[${i}]`, window, week)
  })
  return week
}

export function inWindow(windows: WeeklyWindows, weekday: number, timeOfDayMs: number): boolean {
  for (const [fromMs, toMs] of windows[weekday] ?? [])
    if (timeOfDayMs >= fromMs && timeOfDayMs < toMs) return true
  return false
}

function addWindow(field: string, window: unknown, week: [number, number][][]): void {
  if (typeof window !== 'object' || window === null || Array.isArray(window))
    refuseEntry(field, 'an object with days, from and to', window)
  for (const name of Object.keys(window))
    if (!['days', 'from', 'to'].includes(name))
      refuseEntry(field, 'an object with days, from and to', name)
  const { days = '*', from, to } = window as { days?: unknown; from?: unknown; to?: unknown }
  const fromMs = readTime(`${field}.from`, from)
  const toMs = readTime(`${field}.to`, to)
  if (fromMs === toMs)
    refuseEntry(`${field}.to`, 'a different time than from', to, 'A whole day is 00:00 to 24:00.')
  for (const weekday of readWeekdays(`${field}.days`, days)) {
    const ofDay = week[weekday] as [number, number][]
    ofDay.push([fromMs, toMs > fromMs ? toMs : DAY_MS])
    if (toMs < fromMs) (week[(weekday + 1) % 7] as [number, number][]).push([0, toMs])
  }
}

function readTime(field: string, input: unknown): number {
  const match = typeof input === 'string' ? /^(\d\d):(\d\d)$/.exec(input) : null
  const hours = Number(match?.[1])
  const minutes = Number(match?.[2])
  const latest = field.endsWith('.to') ? 1_440 : 1_439
  if (match !== null && minutes < 60 && hours * 60 + minutes <= latest)
    return (hours * 60 + minutes) * 60_000
  return refuseEntry(field, `a time from 00:00 to ${latest === 1_440 ? '24:00' : '23:59'}`, input)
}

function readWeekdays(field: string, input: unknown): Set<number> {
  try {
    const { values, nth } = parseField(cronFields.weekday, checkExpression(input), undefined)
    if (nth.every((weekdays) => weekdays === 0)) return values
  } catch (error) {
    if (!(error instanceof PunctualError)) throw error
  }
  return refuseEntry(field, 'weekdays such as MON-FRI or 1,3,5', input)
}
