/**
 * The heartbeat of a worker does not get through, while the database is fine and everything else of
 * the worker reaches it. Whether its lease is saved by its other connections or lost to the reaper:
 * every run has one outcome, and the worker works on.
 */
import { eventually } from '../../gate.ts'
import { pause } from '../faults/nemesis.ts'
import { type Scenario, startCounts } from './stage.ts'

const RUNS = 20

export const heartbeatPathAway: Scenario = {
  name: 'heartbeat-path-away',
  title: 'the heartbeat of a worker is cut off while the database is fine',
  sizes: { planner: 1, worker: 2 },
  async play(stage) {
    const { fleet } = stage.world
    const { leaseMs } = stage.options
    await fleet.start()
    const victim = fleet.get('worker-1')
    const runs = await stage.submit('slow', RUNS, leaseMs * 2)
    await stage.started(runs)
    await stage.world.fault('heartbeatAway', victim, async () => {
      victim.options.proxy.holdOnly(/heartbeat/)
      await pause(leaseMs * 3, new AbortController().signal)
      victim.options.proxy.mend({ lose: true })
    })
    await stage.ended(runs)
    // With the other one gone, whatever is run from here on is run by the victim.
    await fleet.get('worker-2').end(8_000)
    const later = await stage.submit('quick', 3, 0)
    await stage.ended(later)
    await eventually('its session is known', () => victim.pid !== undefined)
    return (evidence) => {
      const counts = startCounts(evidence)
      const byVictim = stage.startsOf(later).every((it) => it.process === victim.name)
      return [
        { what: 'every run started', holds: runs.every((run) => (counts.get(run) ?? 0) > 0) },
        { what: 'the worker works on afterwards', holds: byVictim },
      ]
    }
  },
}
