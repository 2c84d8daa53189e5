/** The next slots of a job in local time, with the effects of clock changes and calendars. */
import { PunctualError } from '@punctual/core/errors'
import type { Job } from '@punctual/core/job'
import { calendarAllows, type FirePreview, parseCalendar, zoneOf } from '@punctual/core/schedule'
import { showLocal } from '../flags/instants.ts'
import type { OperatedJobs } from '../runtime/operator.ts'
import type { Terminal } from '../runtime/terminal.ts'
import { jobZone } from './job-view.ts'
import { showTable } from './table.ts'

export interface FiresQuery {
  readonly count: number
  readonly aroundChanges?: boolean
  readonly from?: Date
}

/**
 * Empty when no slot is left. An after-end job has at most one known slot, the one after its last
 * run.
 */
export async function jobFires(
  { jobs }: { readonly jobs: OperatedJobs },
  job: Job,
  query: FiresQuery,
): Promise<FirePreview[]> {
  if (job.rules.when.kind === 'after-end') return job.nextAt ? [plainFire(job.nextAt, job)] : []
  if (job.runsLeft === 0) return []
  const fires = await jobs.preview(job.id, query).catch((error: unknown) => {
    if (error instanceof PunctualError && error.code === 'never_fires') return []
    throw error
  })
  return marked(fires, await excluding(jobs, job))
}

function plainFire(at: Date, { rules }: Job): FirePreview {
  return { at, local: showLocal(at, jobZone(rules)) }
}

type Excluding = readonly { name: string; allows: (ms: number) => boolean }[]

async function excluding(jobs: OperatedJobs, { rules }: Job): Promise<Excluding> {
  if (!rules.calendars) return []
  const zone = zoneOf(rules.timezone)
  const all = await jobs.calendars.list()
  return all
    .filter(({ name }) => rules.calendars?.includes(name))
    .map(({ name, calendar }) => {
      const compiled = parseCalendar(calendar)
      return { name, allows: (ms) => calendarAllows(compiled, zone, ms) }
    })
}

function marked(fires: FirePreview[], calendars: Excluding): FirePreview[] {
  return fires.map((fire) => {
    const by = calendars.find(({ allows }) => !allows(fire.at.getTime()))
    if (!by) return fire
    const notes = [`skipped: the calendar ${by.name} excludes it`, fire.note].filter(Boolean)
    return { ...fire, note: notes.join('; ') }
  })
}

/** Prints the next fires, then those around each clock change. */
export function showFires(terminal: Terminal, fires: readonly FirePreview[], tz: string): void {
  const { colors } = terminal
  const changes = [...new Set(fires.map(({ around }) => around?.getTime()))]
  for (const change of changes) {
    const group = fires.filter(({ around }) => around?.getTime() === change)
    if (change !== undefined)
      terminal.line(`\nAround the clock change on ${showLocal(new Date(change), tz)}:`)
    showTable(
      terminal,
      [`LOCAL TIME (${tz})`, 'UTC', ...(group.some(({ note }) => note) ? ['NOTE'] : [])],
      group.map(({ at, note }) => [
        showLocal(at, tz),
        at.toISOString().replace('.000Z', 'Z'),
        ...(note === undefined ? [] : [colors.yellow(note)]),
      ]),
    )
  }
}
