/**
 * The schedules of the job scenarios: 50,000 different pairs of an expression and a zone, in 40
 * zones. Half of them are due at a full minute, spread by jitter; the others are each due at their
 * own second. A share of them fires every 5, 10 or 15 minutes, the others once a day, so that any
 * number of jobs gives the wanted rate.
 *
 * The same numbers give the same schedules in every process and every run.
 *
 * @typedef {{ cron: string, timezone: string, jitterMs?: number }} Schedule
 */

export const PAIRS = 50_000
const MINUTE_MS = 60_000

export const ZONES = [
  ...['UTC', 'Europe/London', 'Europe/Berlin', 'Europe/Paris', 'Europe/Madrid', 'Europe/Rome'],
  ...['Europe/Warsaw', 'Europe/Kyiv', 'Europe/Istanbul', 'Europe/Lisbon', 'Europe/Dublin'],
  ...['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'],
  ...['America/Phoenix', 'America/Anchorage', 'America/Halifax', 'America/St_Johns'],
  ...['America/Sao_Paulo', 'America/Santiago', 'America/Bogota', 'America/Mexico_City'],
  ...['Asia/Tokyo', 'Asia/Seoul', 'Asia/Shanghai', 'Asia/Singapore', 'Asia/Kolkata'],
  ...['Asia/Kathmandu', 'Asia/Dubai', 'Asia/Tehran', 'Asia/Karachi', 'Asia/Jakarta'],
  ...['Australia/Sydney', 'Australia/Adelaide', 'Australia/Brisbane', 'Australia/Lord_Howe'],
  ...['Pacific/Auckland', 'Africa/Cairo', 'Africa/Johannesburg'],
]

/** The mean fires a second of a job that fires every 5, 10 or 15 minutes, each equally likely. */
const ACTIVE_PERIODS_M = [5, 10, 15]
const ACTIVE_PER_SECOND =
  ACTIVE_PERIODS_M.reduce((sum, minutes) => sum + 1 / (minutes * 60), 0) / ACTIVE_PERIODS_M.length

/**
 * @param {{ jobs: number, perSecond: number, jitter?: boolean }} wanted  the number of jobs and their rate
 * @returns {Schedule[]} job n has the schedule n modulo their number
 */
export function makeSchedules({ jobs, perSecond, jitter = true }) {
  const active = Math.min(1, perSecond / (jobs * ACTIVE_PER_SECOND))
  const random = seeded(1)
  const upTo = (n) => Math.floor(random() * n)
  const seen = new Set()
  const schedules = []
  while (schedules.length < PAIRS) {
    const n = schedules.length
    const second = n % 2 === 0 ? null : 1 + upTo(59)
    const rest = random() < active ? fewMinutes(upTo) : `${upTo(60)} ${upTo(24)} * * *`
    const cron = second === null ? rest : `${second} ${rest}`
    const timezone = ZONES[upTo(ZONES.length)]
    // A day has few full minutes: weekdays make enough different expressions.
    const named = seen.has(`${cron}|${timezone}`) ? `${cron.slice(0, -1)}${weekdays(upTo)}` : cron
    if (seen.has(`${named}|${timezone}`)) continue
    seen.add(`${named}|${timezone}`)
    const spread = second === null && jitter ? { jitterMs: MINUTE_MS } : {}
    schedules.push({ cron: named, timezone, ...spread })
  }
  return schedules
}

/** Different schedules that all fire at one instant: at its local time, and at some other hours. */
export function makeHotSchedules(instantMs, overlap) {
  const random = seeded(2)
  return Array.from({ length: PAIRS }, (_, n) => {
    const timezone = ZONES[n % ZONES.length]
    const { hour, minute, second } = localTime(instantMs, timezone)
    const hours = new Set([hour])
    for (let bits = Math.floor(n / ZONES.length), h = 0; bits > 0; bits >>= 1, h++)
      if (bits & 1) hours.add((hour + 6 + h) % 24)
    const others = [...hours].sort((a, b) => a - b).join(',')
    return { cron: `${second} ${minute} ${others} * * *`, timezone, order: random() }
  })
    .sort((a, b) => a.order - b.order)
    .map(({ cron, timezone }) => ({ cron, timezone, ...(overlap && { overlap }) }))
}

/** One minute in each part of the hour: `3,17,21,38,44,59 * * * *`. */
function fewMinutes(upTo) {
  const period = ACTIVE_PERIODS_M[upTo(ACTIVE_PERIODS_M.length)]
  const minutes = []
  for (let from = 0; from < 60; from += period) minutes.push(from + upTo(period))
  return `${minutes.join(',')} * * * *`
}

/** All seven days, written in one of many ways: a different pair that fires equally often. */
function weekdays(upTo) {
  const days = ['0', '1', '2', '3', '4', '5', '6']
  for (let i = days.length - 1; i > 0; i--) {
    const j = upTo(i + 1)
    ;[days[i], days[j]] = [days[j], days[i]]
  }
  return days.join(',')
}

function localTime(instantMs, timeZone) {
  const format = {
    timeZone,
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }
  const parts = new Intl.DateTimeFormat('en-US', format).formatToParts(new Date(instantMs))
  const part = (type) => Number(parts.find((part) => part.type === type).value)
  return { hour: part('hour'), minute: part('minute'), second: part('second') }
}

/** mulberry32 */
function seeded(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
