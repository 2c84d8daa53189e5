/**
 * The API node that remote workers use is killed, and when it is back the next one is, all while
 * their handlers run. Leases belong to no node: none is lost, nothing runs twice, and all runs are
 * settled.
 */
import { pause } from '../faults/nemesis.ts'
import { busiestNode } from '../faults/process-faults.ts'
import { type Scenario, startCounts } from './stage.ts'

const RUNS = 20
const DEATHS = 3
const DEATHS_MIN = 2
const AWAY_MS = 1_000

export const nodesDie: Scenario = {
  name: 'nodes-die',
  title: 'the API nodes of remote workers die one after another, and no lease is lost',
  sizes: { planner: 1, node: 2, remote: 2 },
  async play(stage) {
    const { fleet } = stage.world
    const killed: string[] = []
    const deaths = Math.max(DEATHS_MIN, Math.round(DEATHS * stage.options.scale))
    await fleet.start()
    // Longer than a lease: a worker that could not renew would lose it.
    const runs = await stage.submit('far', RUNS, stage.options.leaseMs * 1.5)
    await stage.started(runs)
    while (killed.length < deaths) {
      const node = busiestNode(stage.world)
      if (!node) throw new Error('No API node is free.')
      killed.push(node.name)
      await stage.world.fault('nodeKill9', node, async () => {
        await node.kill()
        await pause(AWAY_MS, new AbortController().signal)
        await node.start()
      })
    }
    await stage.ended(runs)
    return (evidence) => {
      const counts = startCounts(evidence)
      const attempts = evidence.runs.flatMap((run) => run.attempts)
      const names = [...new Set(killed)].join(', ')
      return [
        { what: `the killed nodes were in use: ${names}`, holds: killed.length === deaths },
        { what: 'every run started once', holds: runs.every((run) => counts.get(run) === 1) },
        {
          what: 'no lease was lost',
          holds: attempts.every((attempt) => attempt.outcome === 'succeeded'),
        },
      ]
    }
  },
}
