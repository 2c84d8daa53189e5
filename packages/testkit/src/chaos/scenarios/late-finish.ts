/** A worker is stopped until its runs were given away and ended elsewhere; then it finishes them, too late. */
import { eventually } from '../../gate.ts'
import { type Scenario, startCounts } from './stage.ts'

const RUNS = 10
const TAKES_MS = 2_000

export const lateFinish: Scenario = {
  name: 'late-finish',
  title: 'a worker finishes after its lease was given away, and is refused',
  sizes: { planner: 1, worker: 2, submitter: 0 },
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
      await stage.ended(runs)
      zombie.signal('SIGCONT')
    })
    const refused = async () => {
      const rows = await cluster.query('select 1 from punctual.stale_settles')
      return rows.length === RUNS
    }
    await eventually('its outcomes are refused and recorded', refused, 30_000)
    await heir.end(8_000)
    const later = await stage.submit('quick', 3, 0)
    await stage.ended(later)
    return (evidence) => {
      const counts = startCounts(evidence)
      const byHeir = evidence.runs.filter((run) => runs.includes(run.id))
      const pids = byHeir.map((run) => (run.output as { pid?: number } | null)?.pid)
      return [
        { what: 'every run started twice', holds: runs.every((run) => counts.get(run) === 2) },
        {
          what: 'the outcome is that of the second',
          holds: pids.every((pid) => pid !== zombie.pid),
        },
        { what: 'the late worker works on', holds: later.every((run) => counts.get(run) === 1) },
      ]
    }
  },
}
