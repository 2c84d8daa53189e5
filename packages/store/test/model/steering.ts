/**
 * Commands that submit and steer runs, of the promoter and the janitor, and the passing of time.
 */
import { traits } from '@punctual/core/run'
import { compileOptions } from '@punctual/core/submit'
import {
  cancelled,
  type Distance,
  type ModelRun,
  made,
  promoted,
  rescheduled,
} from '@punctual/testkit'
import fc from 'fast-check'
import { expect } from 'vitest'
import { change, command, type Model, pick, type Real } from './world.ts'

const DELAYS: Record<Distance, number | undefined> = {
  now: undefined,
  near: 30_000,
  far: 3_600_000,
}
const distance = fc.constantFrom<Distance>('now', 'now', 'near', 'far')
const RETENTION_DAYS = 7

export interface Submitted {
  readonly key: string | null
  readonly distance: Distance
  readonly atMostOnce: boolean
  readonly maxAttempts: number
}

export function submissionOf({ key, distance, atMostOnce, maxAttempts }: Submitted) {
  const delayMs = DELAYS[distance]
  const options = compileOptions('test', {
    maxAttempts,
    ...(key !== null && { key }),
    ...(delayMs !== undefined && { delayMs }),
  })
  const bits = options.traits | (atMostOnce ? traits.atMostOnce : 0)
  return { options: { ...options, traits: bits }, payload: 'null' }
}

export const holderOf = (model: Model, key: string | null): ModelRun | undefined =>
  key === null
    ? undefined
    : [...model.runs.values()].find((run) => run.key === key && run.final === null)

export const submitted: fc.Arbitrary<Submitted> = fc.record({
  key: fc.option(fc.constantFrom('a', 'b')),
  distance,
  atMostOnce: fc.boolean(),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
})

export function newRun(id: string, { key, atMostOnce, maxAttempts, distance }: Submitted) {
  return made({ id, key, maxAttempts, atMostOnce, jobId: null, overlap: 'allow' }, distance)
}

const submit = submitted.map((given) =>
  command(
    `submit(${JSON.stringify(given)})`,
    () => true,
    async (model, { t }) => {
      const holder = holderOf(model, given.key)
      const [accepted] = await t.store.submit([submissionOf(given)])
      expect(accepted?.created, 'one live run for a key').toBe(holder === undefined)
      const id = accepted?.id as string
      if (holder) expect(id).toBe(holder.id)
      else model.runs.set(id, newRun(id, given))
    },
  ),
)

/**
 * Waiting runs are cancelled, running ones cancelling; final runs stay and are not in the answer.
 */
const cancel = fc.array(fc.nat(), { minLength: 1, maxLength: 3 }).map((picks) =>
  command(
    `cancel(${picks})`,
    (model) => model.runs.size > 0,
    async (model, { t }) => {
      const ids = [...new Set(picks.map((n) => pick(model.runs.keys(), n) as string))]
      const answers = await t.store.steering.cancel(ids, 'asked')
      const expected = new Map<string, string>()
      for (const id of ids) {
        const run = model.runs.get(id) as ModelRun
        if (run.final === null) expected.set(id, run.lease ? 'cancelling' : 'cancelled')
        change(model, id, cancelled)
      }
      expect(new Map([...answers].sort())).toEqual(new Map([...expected].sort()))
    },
  ),
)

const reschedule = fc.record({ n: fc.nat(), to: distance }).map(({ n, to }) =>
  command(
    `reschedule(${n}, ${to})`,
    (model) => model.runs.size > 0,
    async (model, { t }) => {
      const run = pick(model.runs.values(), n) as ModelRun
      const moved = await t.store.steering.reschedule([run.id], Date.now() + (DELAYS[to] ?? 0))
      const waits = run.place === 'later' || run.place === 'queue'
      expect(moved.has(run.id)).toBe(waits)
      change(model, run.id, (before) => rescheduled(before, to))
    },
  ),
)

/** Makes all delayed runs due now, not in the past, as real time would. */
const pass = fc.constant(
  command(
    'pass()',
    (model) => [...model.runs.values()].some(({ due, final }) => !due && final === null),
    async (model, { t }) => {
      await t.sql.query(
        `update punctual.queue set pos = floor(extract(epoch from clock_timestamp()) * 1000)::bigint << 20
         where pos >> 20 > extract(epoch from clock_timestamp()) * 1000`,
      )
      await t.sql.query(
        `update punctual.later set due_at = clock_timestamp() + interval '1 second'
         where due_at > clock_timestamp() + interval '1 minute'`,
      )
      for (const id of model.runs.keys()) change(model, id, (run) => ({ ...run, due: true }))
      model.aheadMs += 15_000
    },
  ),
)

const promote = fc.constant(
  command(
    'promote()',
    () => true,
    async (model, { t }) => {
      const entering = [...model.runs.values()].filter((run) => run.place === 'later' && run.due)
      expect((await t.store.upkeep.promote(60_000, 100)).promoted).toBe(entering.length)
      for (const { id } of entering) change(model, id, promoted)
    },
  ),
)

/** No run here is old enough for the retention. */
const retain = fc.constant(
  command(
    'retain()',
    () => true,
    async (_, { t }: Real) => {
      expect(await t.store.upkeep.dropOldDays(RETENTION_DAYS)).toEqual([])
      await t.store.upkeep.sweep(RETENTION_DAYS)
    },
  ),
)

export const steeringCommands = [
  { weight: 11, arbitrary: submit },
  { weight: 3, arbitrary: cancel },
  { weight: 2, arbitrary: reschedule },
  { weight: 4, arbitrary: pass },
  { weight: 2, arbitrary: promote },
  { weight: 1, arbitrary: retain },
]
