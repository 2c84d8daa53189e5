/**
 * Exports everything that a tenant has declared, and its runs of a range, as lines of JSON: one
 * object per line, with its `type`. Reads one page at a time, and a page ends at a number of
 * bytes, so that any number of runs of any size is exported in bounded memory; each row appears as it was when its page was read.
 */
import { limits } from '@punctual/core/errors'
import type { Tenant } from '@punctual/core/identity'
import type { Job } from '@punctual/core/job'
import { finalStateOf, runIdFloor } from '@punctual/core/run'
import type { CalendarStore } from '../calendars/calendar-store.ts'
import type { LimitStore } from '../queues/limit-store.ts'
import type { ReplicaReads } from './replica-reads.ts'

const PAGE = 1_000

export interface ExportSources {
  readonly replica: ReplicaReads
  readonly calendars: CalendarStore
  readonly limits: LimitStore
}

export async function* exportTenant(
  sources: ExportSources,
  tenant: Tenant,
  range: { readonly fromMs: number; readonly toMs: number },
): AsyncGenerator<string> {
  yield line('tenant', tenant)
  for await (const calendar of sources.calendars.all(tenant.id)) yield line('calendar', calendar)
  for (const { running: _, freeAt: __, ...limit } of await sources.limits.list(tenant.id))
    yield line('limit', limit)
  for await (const job of jobsOf(sources.replica, tenant.id)) yield line('job', job)
  yield* runsOf(sources.replica, tenant.id, range)
}

async function* jobsOf(replica: ReplicaReads, tenantId: number): AsyncGenerator<Job> {
  for (let after = ''; ; ) {
    const page = await replica.read(({ jobs }) =>
      jobs.list({ after, limit: PAGE }, tenantId, limits.pageBytes),
    )
    yield* page
    // A page of large payloads is shorter: only an empty one is the end.
    const last = page.at(-1)
    if (last === undefined) return
    after = last.name
  }
}

async function* runsOf(
  replica: ReplicaReads,
  tenantId: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): AsyncGenerator<string> {
  const endId = runIdFloor(toMs)
  for (let after = runIdFloor(fromMs); ; ) {
    const rows = await replica.read(({ exportRuns }) =>
      exportRuns(tenantId, after, endId, PAGE, limits.pageBytes),
    )
    for (const { id, facts, payload, output } of rows) {
      const { final_state: state, ...rest } = facts
      const known = { id, ...rest, ...(state && { state: finalStateOf.get(state) }) }
      const texts = [`"payload":${payload}`, ...(output === null ? [] : [`"output":${output}`])]
      // Copied as stored text: parsing would change numbers that JavaScript cannot represent.
      yield `${line('run', known).slice(0, -2)},${texts.join(',')}}\n`
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

function line(type: string, value: object): string {
  return `${JSON.stringify({ type, ...withSnakeCase(value) })}\n`
}

/** Converts Punctual's names to snake_case; users' names in payloads and labels are unchanged. */
function withSnakeCase(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      ['payload', 'labels', 'output', 'error'].includes(name) ? member : snakeCase(member),
    ]),
  )
}

function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return withSnakeCase(value)
}
