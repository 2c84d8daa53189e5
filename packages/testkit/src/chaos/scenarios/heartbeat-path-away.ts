/**
 * A worker's heartbeat does not get through, while the database is healthy and the worker's other
 * connections reach it. Whether its other connections save its lease or the reaper fences it: every
 * run has one outcome, and the worker continues to work.
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
      victim.options.proxy.repair({ lose: true })
    })
    await stage.ended(runs)
    // With the other worker gone, every run from here on runs on the victim.
    await fleet.get('worker-2').end(8_000)
    const later = await stage.submit('quick', 3, 0)
    await stage.ended(later)
    await eventually('its session is known', () => victim.pid !== undefined)
    return (evidence) => {
      const counts = startCounts(evidence)
      const byVictim = stage.startsOf(later).every((start) => start.process === victim.name)
      return [
        { what: 'every run started', holds: runs.every((run) => (counts.get(run) ?? 0) > 0) },
        { what: 'the worker continues to work afterwards', holds: byVictim },
      ]
    }
  },
}
