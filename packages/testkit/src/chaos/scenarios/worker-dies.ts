/** A worker is killed while it executes runs: other workers run exactly those runs again. */
import { type Scenario, startCounts } from './stage.ts'

const RUNS = 30
const TAKES_MS = 4_000

export const workerDies: Scenario = {
  name: 'worker-dies',
  title: 'a worker dies with its runs; other workers take them over after its lease',
  sizes: { planner: 1, worker: 2 },
  async play(stage) {
    const { fleet } = stage.world
    await fleet.start()
    const runs = await stage.submit('slow', RUNS, TAKES_MS)
    const starts = await stage.started(runs)
    const victim = fleet.get(starts[0]?.process ?? '')
    const held = starts.filter((start) => start.pid === victim.pid).map((start) => start.run)
    const kept = starts.filter((start) => start.pid !== victim.pid).map((start) => start.run)
    await stage.world.fault('kill9', victim, () => victim.kill())
    await stage.ended(runs)
    return (evidence) => {
      const counts = startCounts(evidence)
      const twice = (run: string) => counts.get(run) === 2
      const flagged = held.every((run) => evidence.flagged.has(run))
      return [
        { what: `the dead worker held ${held.length} runs`, holds: held.length > 0 },
        { what: 'each of its runs started once more', holds: held.every(twice) },
        { what: 'runs of other workers did not', holds: !kept.some(twice) },
        { what: 'runs that started twice are flagged', holds: flagged },
      ]
    }
  },
}
