/** A worker is killed in the middle of its runs: others run them, and only them, again. */
import { type Scenario, startCounts } from './stage.ts'

const RUNS = 30
const TAKES_MS = 4_000

export const workerDies: Scenario = {
  name: 'worker-dies',
  title: 'a worker dies with what it runs; the others take it over after its lease',
  sizes: { planner: 1, worker: 2 },
  async play(stage) {
    const { fleet } = stage.world
    await fleet.start()
    const runs = await stage.submit('slow', RUNS, TAKES_MS)
    const starts = await stage.started(runs)
    const victim = fleet.get(starts[0]?.process ?? '')
    const held = starts.filter((it) => it.pid === victim.pid).map((it) => it.run)
    const kept = starts.filter((it) => it.pid !== victim.pid).map((it) => it.run)
    await stage.world.fault('kill9', victim, () => victim.kill())
    await stage.ended(runs)
    return (evidence) => {
      const counts = startCounts(evidence)
      const twice = (run: string) => counts.get(run) === 2
      const flagged = held.every((run) => evidence.flagged.has(run))
      return [
        { what: `the dead worker held ${held.length} runs`, holds: held.length > 0 },
        { what: 'what it held started once more', holds: held.every(twice) },
        { what: 'what others held did not', holds: !kept.some(twice) },
        { what: 'those that ran twice are flagged', holds: flagged },
      ]
    }
  },
}
