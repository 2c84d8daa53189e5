/**
 * The liveness data is lost: the rows of sessions and planners are gone, as after a partial restore
 * or an operator's mistake. Workers notice, register again, and keep their runs.
 */
import { pause } from '../faults/nemesis.ts'
import { type Scenario, startCounts } from './stage.ts'

const RUNS = 30
const TAKES_MS = 6_000

export const livenessDataLost: Scenario = {
  name: 'liveness-data-lost',
  title: 'the rows of sessions and planners are deleted under running work',
  sizes: { planner: 2, worker: 3 },
  async play(stage) {
    const { fleet, cluster } = stage.world
    await fleet.start()
    const runs = await stage.submit('slow', RUNS, TAKES_MS)
    await stage.started(runs)
    await stage.world.fault('livenessLost', { name: 'database' }, async () => {
      await cluster.query('delete from punctual.sessions')
      await cluster.query('delete from punctual.planners')
      await pause(1_000, new AbortController().signal)
    })
    await stage.ended(runs)
    const later = await stage.submit('quick', 30, 0)
    await stage.ended(later)
    return (evidence) => {
      const counts = startCounts(evidence)
      const once = [...runs, ...later].every((run) => counts.get(run) === 1)
      return [{ what: 'no run of a living worker was started twice', holds: once }]
    }
  },
}
