/**
 * A worker is stopped until its runs were reassigned and are running elsewhere; then it finishes
 * them, too late. Its outcomes are refused (and recorded, where the worker uses the database
 * directly), the others' outcomes are accepted, and it continues to work.
 */
import { eventually } from '../../gate.ts'
import { type Expectation, type Judge, type Scenario, type Stage, startCounts } from './stage.ts'

const RUNS = 10
/** Long enough that the late outcomes arrive while the other workers still run. */
const TAKES_MS = 6_000

export const lateFinish: Scenario = {
  name: 'late-finish',
  title: 'a worker finishes after losing its lease, and is refused',
  sizes: { planner: 1, worker: 2 },
  play: (stage) => play(stage, 'worker'),
}

export const remoteLateFinish: Scenario = {
  name: 'remote-late-finish',
  title: 'a remote worker finishes after losing its lease, and is refused',
  sizes: { planner: 1, node: 1, remote: 2 },
  play: (stage) => play(stage, 'remote'),
}

async function play(stage: Stage, part: 'worker' | 'remote'): Promise<Judge> {
  const { fleet } = stage.world
  const zombie = fleet.get(`${part}-1`)
  const heir = fleet.get(`${part}-2`)
  await fleet.start('planner')
  await fleet.start('node')
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
  const recorded = part === 'worker' ? [await recordedIn(stage)] : []
  await heir.end(8_000)
  const later = await stage.submit('quick', 3, 0)
  await stage.ended(later)
  return (evidence) => {
    const counts = startCounts(evidence)
    const given = evidence.runs.filter((run) => runs.includes(run.id))
    const pids = given.map((run) => (run.output as { pid?: number } | null)?.pid)
    return [
      { what: 'every run started twice', holds: runs.every((run) => counts.get(run) === 2) },
      ...recorded,
      { what: 'no late outcome was accepted', holds: pids.every((pid) => pid !== zombie.pid) },
      {
        what: 'the late worker continues to work',
        holds: later.every((run) => counts.get(run) === 1),
      },
    ]
  }
}

async function recordedIn({ world }: Stage): Promise<Expectation> {
  const refused = async () => {
    const rows = await world.cluster.query('select 1 from punctual.stale_settles')
    return rows.length >= RUNS
  }
  const holds = await eventually('late outcomes are refused and recorded', refused).then(
    () => true,
    () => false,
  )
  return { what: 'late outcomes are refused and recorded', holds }
}
