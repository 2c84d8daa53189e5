/** Faults of the network between one process and the servers, or the API nodes that it calls. */
import type { Child, Part } from '../fleet/child.ts'
import type { SeededRandom } from '../plan/seeded-random.ts'
import type { World } from '../world/world.ts'
import { hurt, type Nemesis, pause } from './nemesis.ts'

/** Lasts shorter or longer than the lease; data in flight arrives late or never. */
function cut(kind: string, title: string, directions: readonly ('up' | 'down')[]): Nemesis {
  return {
    kind,
    title,
    async strike(world, random, signal) {
      const child = world.fleet.pick(random)
      const { leaseMs } = world.options
      const lose = random.chance(0.5)
      await hurt(world, kind, child, async (fault) => {
        fault.note = lose ? 'data in flight is lost' : 'data in flight arrives late'
        child.options.proxy.hold(...directions)
        await pause(random.between(Math.round(leaseMs * 0.4), Math.round(leaseMs * 1.8)), signal)
        child.options.proxy.repair({ lose })
      })
    },
  }
}

export const blackhole = cut('blackhole', 'nothing passes in either direction', ['up', 'down'])
export const cutUp = cut('cutUp', 'nothing reaches the server; its data arrives', ['up'])
export const cutDown = cut('cutDown', 'the server receives, but its data does not arrive', ['down'])

export const slow: Nemesis = {
  kind: 'slow',
  title: 'latency rises by a second or two in each direction',
  async strike(world, random, signal) {
    const child = world.fleet.pick(random)
    const latencyMs = random.between(500, 2_000)
    await hurt(world, 'slow', child, async (fault) => {
      fault.note = `${latencyMs} ms`
      child.options.proxy.slow(latencyMs)
      await pause(random.between(3_000, 8_000), signal)
    })
  },
}

export const reset: Nemesis = {
  kind: 'reset',
  title: 'every connection of a process is reset',
  async strike(world, random, signal) {
    const child = world.fleet.pick(random)
    await hurt(world, 'reset', child, async () => {
      for (let left = random.between(1, 3); left > 0 && !signal.aborted; left--) {
        child.options.proxy.reset()
        await pause(random.between(20, 400), signal)
      }
    })
  },
}

const LOSSES = 3
const LOSS_PATIENCE_MS = 4_000
const OF_DATABASE: readonly Part[] = ['planner', 'node', 'worker', 'submitter']
const OF_NODES: readonly Part[] = ['remote', 'submitter']

export const commitReplyLost: Nemesis = {
  kind: 'commitReplyLost',
  title: 'the server commits, and its answer is lost',
  async strike(world, random, signal) {
    for (let left = LOSSES; left > 0 && !signal.aborted; left--)
      await loseOne(world, random, signal)
  },
}

/** If nothing could be lost within the time, no fault happened and none is listed. */
async function loseOne(world: World, random: SeededRandom, signal: AbortSignal): Promise<void> {
  const child = world.fleet.pick(random, OF_DATABASE)
  const only = random.chance(0.5) ? /settle|claim|submit|insert|mark|commit/i : /./
  await lose(world, 'commitReplyLost', child, signal, (patience) =>
    child.options.proxy.loseCommitReply((statement) => only.test(statement), patience),
  )
}

export const answerLost: Nemesis = {
  kind: 'answerLost',
  title: 'an API node performs a request, and its answer is lost',
  async strike(world, random, signal) {
    for (let left = LOSSES; left > 0 && !signal.aborted; left--) {
      const child = world.fleet.pick(random, OF_NODES)
      const only = random.chance(0.8) ? /runs|claim|settle|start/ : /./
      await lose(world, 'answerLost', child, signal, (patience) =>
        child.options.proxy.loseAnswer((request) => only.test(request), patience),
      )
    }
  },
}

async function lose(
  world: World,
  kind: string,
  child: Child,
  signal: AbortSignal,
  lost: (patience: AbortSignal) => Promise<string | null>,
): Promise<void> {
  child.busy = true
  const what = await lost(AbortSignal.any([signal, AbortSignal.timeout(LOSS_PATIENCE_MS)]))
  child.busy = false
  if (what === null) return
  await world.fault(kind, child, async (fault) => {
    fault.note = what
  })
}
