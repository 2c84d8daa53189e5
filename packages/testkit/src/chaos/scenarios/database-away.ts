/**
 * The database is away for twelve leases under a thousand runs that take twice as long: the
 * handlers continue, every outcome arrives, and no run starts a second time because of it.
 */
import { pause } from '../faults/nemesis.ts'
import { type Scenario, startCounts } from './stage.ts'

const RUNS = 1_000
const TAKES_MS = 120_000
const AWAY_MS = 60_000
const WORKERS = 6

export const databaseAway: Scenario = {
  name: 'database-away',
  title: '60 s without a database under 1,000 running two-minute runs (times --scale)',
  sizes: { planner: 2, worker: WORKERS },
  async play(stage) {
    const { scale, leaseMs } = stage.options
    const count = Math.max(20, Math.round(RUNS * scale))
    // At least longer than a lease, otherwise it proves nothing.
    const awayMs = Math.max(leaseMs * 1.5, AWAY_MS * scale)
    const takesMs = Math.max(awayMs * 1.6, TAKES_MS * scale)
    const { fleet, cluster } = stage.world
    stage.world.tell({ concurrency: count })
    await fleet.start()
    const runs = await stage.submit('slow', count, Math.round(takesMs))
    await stage.started(runs)
    await stage.world.fault('databaseAway', { name: 'database' }, async () => {
      const bringBack = await cluster.takeAway()
      await pause(awayMs, new AbortController().signal)
      await bringBack()
    })
    await stage.ended(runs)
    return (evidence) => {
      const counts = startCounts(evidence)
      const again = runs.filter((run) => counts.get(run) !== 1).length
      const ended = evidence.runs.filter((run) => run.state === 'succeeded').length
      return [
        { what: `${ended} of ${count} runs have an outcome`, holds: ended === count },
        { what: `${again} second starts`, holds: again === 0 },
      ]
    }
  },
}
