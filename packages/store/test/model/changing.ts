/** Commands that change waiting runs: run now, another priority, another payload. */
import type { ModelRun } from '@punctual/testkit'
import { rescheduled } from '@punctual/testkit'
import fc from 'fast-check'
import { expect } from 'vitest'
import { change, command, pick } from './world.ts'

const waits = ({ place }: ModelRun) => place === 'later' || place === 'queue' || place === 'parked'

const hasten = fc.nat().map((n) =>
  command(
    `hasten(${n})`,
    (model) => model.runs.size > 0,
    async (model, { t }) => {
      const run = pick(model.runs.values(), n) as ModelRun
      const moved = await t.store.steering.reschedule([run.id], null)
      // A due run keeps its place in the queue.
      const early = run.place === 'later' || (run.place === 'queue' && !run.due)
      expect(moved.has(run.id)).toBe(early)
      if (early) change(model, run.id, (before) => rescheduled(before, 'now'))
    },
  ),
)

const reprioritise = fc.record({ n: fc.nat(), priority: fc.nat(10) }).map(({ n, priority }) =>
  command(
    `reprioritise(${n}, ${priority})`,
    (model) => model.runs.size > 0,
    async (model, { t }) => {
      const run = pick(model.runs.values(), n) as ModelRun
      const before = (await t.store.runs.find(run.id))?.priority
      const moved = await t.store.steering.reprioritise([run.id], priority)
      const accepted = waits(run) || before === priority
      expect(moved.has(run.id)).toBe(accepted)
      const now = await t.store.runs.find(run.id)
      expect(now?.priority).toBe(accepted ? priority : before)
    },
  ),
)

const rewrite = fc.record({ n: fc.nat(), value: fc.nat() }).map(({ n, value }) =>
  command(
    `rewrite(${n}, ${value})`,
    (model) => model.runs.size > 0,
    async (model, { t }) => {
      const run = pick(model.runs.values(), n) as ModelRun
      const edited = await t.store.steering.edit([run.id], String(value))
      const untried = waits(run) && run.attempt === 0 && run.crashes === 0
      expect(edited.has(run.id)).toBe(untried)
      if (untried) expect((await t.store.runs.find(run.id))?.payload).toBe(value)
    },
  ),
)

export const changingCommands = [
  { weight: 1, arbitrary: hasten },
  { weight: 1, arbitrary: reprioritise },
  { weight: 1, arbitrary: rewrite },
]
