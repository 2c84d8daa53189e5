/**
 * Every planner and reaper dies for longer than they plan ahead, and a worker dies meanwhile. After
 * they return, every slot of the gap is decided and run, and so are the runs of the dead worker.
 */

import { declare } from '../campaign/gather.ts'
import { pause } from '../faults/nemesis.ts'
import { makeJobs } from '../plan/workload.ts'
import { type Scenario, startCounts } from './stage.ts'

/** Slots are planned 10 s ahead. */
const AWAY_MS = 26_000
const AWAY_MS_MIN = 6_000

export const controllersDie: Scenario = {
  name: 'controllers-die',
  title: 'every planner and reaper and one worker die and come back',
  sizes: { planner: 2, worker: 2 },
  async play(stage) {
    const { fleet } = stage.world
    const signal = new AbortController().signal
    const awayMs = Math.max(AWAY_MS_MIN, AWAY_MS * stage.options.scale)
    const fromMs = stage.wholeSecondIn(stage.marginMs)
    stage.jobs.push(...makeJobs(10, fromMs, fromMs + Math.ceil(awayMs / 1_000) * 1_000 + 8_000))
    await declare(stage.world, stage.jobs)
    await fleet.start()
    await pause(fromMs - Date.now(), signal)
    const runs = await stage.submit('slow', 10, 8_000)
    const starts = await stage.started(runs)
    const victim = fleet.get(starts[0]?.process ?? '')
    const held = starts.filter((start) => start.pid === victim.pid).map((start) => start.run)
    const controllers = fleet.childrenOf('planner')
    const away = controllers.map((planner) =>
      stage.world.fault('kill9', planner, async () => {
        await planner.kill()
        await pause(awayMs, signal)
        await planner.start()
      }),
    )
    await stage.world.fault('kill9', victim, () => victim.kill())
    await Promise.all(away)
    await victim.start()
    await stage.ended(runs)
    return (evidence) => {
      const counts = startCounts(evidence)
      return [
        { what: `the dead worker held ${held.length} runs`, holds: held.length > 0 },
        { what: 'they ran again', holds: held.every((run) => counts.get(run) === 2) },
      ]
    }
  },
}
