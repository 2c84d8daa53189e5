export {
  type Calendar,
  type CalendarInput,
  calendarAllows,
  parseCalendar,
} from './calendar/calendar.ts'
export type { WindowInput } from './calendar/weekly-windows.ts'
export type { CronPattern } from './cron/cron-pattern.ts'
export { nextAfter } from './cron/next-after.ts'
export { type CronOptions, type DayRule, dayRules, parseCron } from './cron/parse-cron.ts'
export { type Every, everyNextAfter } from './every.ts'
export { localInstant } from './local-instant.ts'
export { type FiresOptions, nextFires } from './next-fires.ts'
export { type Period, parsePeriod } from './parse-period.ts'
export { type FirePreview, type PreviewOptions, previewFires } from './preview-fires.ts'
export {
  type CronTiming,
  compileTiming,
  type EveryTiming,
  nextSlot,
  type Timing,
  type TimingInput,
} from './timing.ts'
export { TimingCache } from './timing-cache.ts'
export {
  type DstPolicy,
  defaultDstPolicy,
  type FoldPolicy,
  foldPolicies,
  type GapPolicy,
  gapPolicies,
} from './zones/dst-policy.ts'
export { type Zone, zoneOf } from './zones/zone.ts'
