/** Auditors that a test drives by hand, and jobs for them to check. */
import type { AuditFinding } from '@punctual/core/job'
import { Auditor } from '@punctual/engine'
import { ManualClock, type TestStore } from '@punctual/testkit'
import { ledgerOf, planAll, plannerOf } from './planning-kit.ts'

/** Deletes all rows that the previous test left. */
export async function emptySchedules(t: TestStore): Promise<void> {
  for (const table of ['jobs', 'cursors', 'slots', 'job_holds', 'parked', 'queue', 'planners'])
    await t.sql.query(`delete from punctual.${table}`)
}

/** Plans everything that is due or near, also when other planners are announced. */
export function planOf(t: TestStore): Promise<void> {
  return planAll(plannerOf({ store: t.store, alone: true }))
}

export interface AuditorSettings {
  readonly store?: TestStore['store']
  readonly clock?: ManualClock
  readonly pageSize?: number
}

/** Returns a function that runs one full round over all jobs and returns its findings. */
export function auditorOf(t: TestStore, settings: AuditorSettings = {}) {
  const { store = t.store, clock = new ManualClock(), pageSize = 1_000 } = settings
  let results: { findings: readonly AuditFinding[]; roundEnded: boolean }[] = []
  const auditor = new Auditor({
    ...{ store: store.schedules.audit, clock, pageSize },
    onAudited: (result) => void results.push(result),
  })
  return async (): Promise<AuditFinding[]> => {
    results = []
    while (!results.at(-1)?.roundEnded) await auditor.tick()
    return results.flatMap(({ findings }) => findings)
  }
}

export const shown = (findings: readonly AuditFinding[]) =>
  findings.map(({ kind, repaired }) => (repaired ? `${kind}, repaired` : kind)).sort()

/** A job that has fired every second for `ageMs`, and is planned ahead. */
export async function plannedJobOf(
  t: TestStore,
  ageMs = 10_000,
  options: Parameters<TestStore['job']>[0] = {},
): Promise<string> {
  const id = await t.job(options)
  if (ageMs > 0) await t.age(id, ageMs)
  await planOf(t)
  return id
}

/** A past slot of the job. */
export async function pastSlotOf(t: TestStore, id: string) {
  const past = (await ledgerOf(t, id)).filter(({ slotMs }) => slotMs < Date.now() - 2_000)
  return past.at(-2) as NonNullable<(typeof past)[number]>
}
