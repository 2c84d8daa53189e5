/** Faults of the network between one process and the servers. */
import type { SeededRandom } from '../seeded-random.ts'
import type { World } from '../world.ts'
import { hurt, type Nemesis, pause } from './nemesis.ts'

/** Shorter or longer than the lease, and what was under way arrives late or never. */
function cut(kind: string, title: string, directions: readonly ('up' | 'down')[]): Nemesis {
  return {
    kind,
    title,
    async strike(world, random, signal) {
      const child = world.fleet.pick(random)
      const { leaseMs } = world.options
      const lose = random.chance(0.5)
      await hurt(world, kind, child, async (fault) => {
        fault.note = lose ? 'what was under way is lost' : 'what was under way arrives late'
        child.options.proxy.hold(...directions)
        await pause(random.between(Math.round(leaseMs * 0.4), Math.round(leaseMs * 1.8)), signal)
        child.options.proxy.mend({ lose })
      })
    },
  }
}

export const blackhole = cut('blackhole', 'nothing passes, in either direction', ['up', 'down'])
export const cutUp = cut('cutUp', 'nothing reaches the server; it is heard', ['up'])
export const cutDown = cut('cutDown', 'the server hears, and is not heard', ['down'])

export const slow: Nemesis = {
  kind: 'slow',
  title: 'everything takes a second or two longer, in each direction',
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
const COMMIT_PATIENCE_MS = 4_000

export const commitReplyLost: Nemesis = {
  kind: 'commitReplyLost',
  title: 'the server commits, and its answer is lost',
  async strike(world, random, signal) {
    for (let left = LOSSES; left > 0 && !signal.aborted; left--)
      await loseOne(world, random, signal)
  },
}

/** A commit that is not there to be lost within the time is no fault, and is not listed. */
async function loseOne(world: World, random: SeededRandom, signal: AbortSignal): Promise<void> {
  const child = world.fleet.pick(random)
  child.busy = true
  const patience = AbortSignal.any([signal, AbortSignal.timeout(COMMIT_PATIENCE_MS)])
  const only = random.chance(0.5) ? /settle|claim|submit|insert|mark|commit/i : /./
  const writes = await child.options.proxy.loseCommitReply((it) => only.test(it), patience)
  child.busy = false
  if (writes === null) return
  await world.fault('commitReplyLost', child, async (fault) => {
    fault.note = writes
  })
}
