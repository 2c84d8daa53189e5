/**
 * A worker is stopped until its runs were given away and are running elsewhere; then it finishes
 * them, too late. Its outcomes are refused and recorded, those of the others are accepted, and it
 * works on.
 */
import { eventually } from '../../gate.ts'
import { type Scenario, startCounts } from './stage.ts'

const RUNS = 10
/** Long enough for the late ones to come while the others are still at it. */
const TAKES_MS = 6_000

export const lateFinish: Scenario = {
  name: 'late-finish',
  title: 'a worker finishes after its lease was given away, and is refused',
  sizes: { planner: 1, worker: 2 },
  async play(stage) {
    const { fleet, cluster } = stage.world
    const zombie = fleet.get('worker-1')
    const heir = fleet.get('worker-2')
    await fleet.get('planner-1').start()
    await zombie.start()
    const runs = await stage.submit('slow', RUNS, TAKES_MS)
    await stage.started(runs)
    await stage.world.fault('stop', zombie, async () => {
      zombie.signal('SIGSTOP')
      await heir.start()
      await stage.started(runs, 2)
      zombie.signal('SIGCONT')
    })
    await stage.ended(runs)
    const refused = async () => {
      const rows = await cluster.query('select 1 from punctual.stale_settles')
      return rows.length >= RUNS
    }
    const wereRefused = await eventually('they are refused and recorded', refused).then(
      () => true,
      () => false,
    )
    await heir.end(8_000)
    const later = await stage.submit('quick', 3, 0)
    await stage.ended(later)
    return (evidence) => {
      const counts = startCounts(evidence)
      const given = evidence.runs.filter((run) => runs.includes(run.id))
      const pids = given.map((run) => (run.output as { pid?: number } | null)?.pid)
      return [
        { what: 'every run started twice', holds: runs.every((run) => counts.get(run) === 2) },
        { what: 'late outcomes are refused and recorded', holds: wereRefused },
        { what: 'no late outcome was accepted', holds: pids.every((pid) => pid !== zombie.pid) },
        { what: 'the late worker works on', holds: later.every((run) => counts.get(run) === 1) },
      ]
    }
  },
}
