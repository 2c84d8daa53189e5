/** Faults of single product processes: killed, stopped, replaced, with a clock that jumps. */
import type { Child, Part } from '../fleet/child.ts'
import type { World } from '../world/world.ts'
import { hurt, type Nemesis, pause } from './nemesis.ts'

/** Mostly workers, because they hold leases. Nodes have a separate fault. */
const KILLED: readonly Part[] = ['worker', 'worker', 'remote', 'planner', 'submitter']
const STOPPED: readonly Part[] = ['worker', 'worker', 'remote', 'remote', 'planner', 'node']

export const kill9: Nemesis = {
  kind: 'kill9',
  title: 'kill -9, then restart',
  async strike(world, random, signal) {
    const child = world.fleet.pick(random, [random.pick(KILLED)])
    const awayMs = random.between(200, 3_000)
    await hurt(world, 'kill9', child, async () => {
      await child.kill()
      await pause(awayMs, signal)
      await child.start()
    })
  },
}

const COMMIT_PATIENCE_MS = 2_000

export const nodeKill9: Nemesis = {
  kind: 'nodeKill9',
  title: 'kill -9 of the API node that remote workers use, just after its commit',
  async strike(world, random, signal) {
    const child = busiestNode(world)
    const awayMs = random.between(200, 3_000)
    const only = random.chance(0.7) ? /^commit/i : /./
    if (!child) return
    child.busy = true
    const patience = AbortSignal.any([signal, AbortSignal.timeout(COMMIT_PATIENCE_MS)])
    // It neither learns of its commit nor answers: the client has to try another node.
    const commit = await child.options.proxy.loseCommitReply(
      (statement) => only.test(statement),
      patience,
    )
    await hurt(world, 'nodeKill9', child, async (fault) => {
      fault.note = `${connectionsTo(world, child)} connections, after ${commit ?? 'nothing'}`
      await child.kill()
      await pause(awayMs, signal)
      await child.start()
    })
  },
}

/** The node with the most connections among those without a fault. */
export function busiestNode(world: World): Child | undefined {
  const free = world.fleet.childrenOf('node').filter((node) => !node.busy)
  return free.sort((a, b) => connectionsTo(world, b) - connectionsTo(world, a))[0]
}

function connectionsTo(world: World, { options }: Child): number {
  const { port = 0 } = options.settings
  const counts = world.fleet
    .childrenOf('remote')
    .map((remote) => remote.options.proxy.countTo(port))
  return counts.reduce((sum, count) => sum + count, 0)
}

export const stop: Nemesis = {
  kind: 'stop',
  title: 'SIGSTOP for longer than the lease, then SIGCONT',
  async strike(world, random, signal) {
    const child = world.fleet.pick(random, [random.pick(STOPPED)])
    const { leaseMs } = world.options
    const stoppedMs = random.between(Math.round(leaseMs * 1.3), Math.round(leaseMs * 2.4))
    await hurt(world, 'stop', child, async () => {
      child.signal('SIGSTOP')
      await pause(stoppedMs, signal)
      child.signal('SIGCONT')
    })
  },
}

const DRAIN_PATIENCE_MS = 8_000
/** Processes restarted in one turn: a whole fleet would delay the other faults. */
const ROLLED = 3

export const rolling: Nemesis = {
  kind: 'rolling',
  title: 'rolling restart (SIGTERM), one process after another',
  async strike(world, random, signal) {
    const children = random.shuffled(
      world.fleet.children.filter((child) => child.part !== 'submitter'),
    )
    for (const child of children.slice(0, ROLLED)) {
      if (signal.aborted || child.busy) continue
      await hurt(world, 'rolling', child, async () => {
        await child.end(DRAIN_PATIENCE_MS)
        await child.start()
      })
    }
  },
}

const STEPS_MS = [-3_600_000, -300_000, 300_000, 86_400_000]

export const clockStep: Nemesis = {
  kind: 'clockStep',
  title: 'the wall clock of one process jumps, then jumps back (libfaketime)',
  async strike(world, random, signal) {
    const child = world.fleet.pick(random)
    const offsetMs = random.pick(STEPS_MS)
    child.clock.require()
    await hurt(world, 'clockStep', child, async (fault) => {
      fault.note = `${offsetMs / 1_000} s`
      child.clock.step(offsetMs)
      await pause(random.between(3_000, 6_000), signal)
      child.clock.step(0)
    })
  },
}
