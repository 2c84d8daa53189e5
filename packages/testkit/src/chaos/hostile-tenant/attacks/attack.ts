/** The common form of all attacks: each is a few loops that send requests until the attack ends. */
import type { Sender } from './sender.ts'

export interface Attack {
  readonly name: string
  /** Loops that run at the same time. */
  readonly atOnce: number
  /** The rest of a loop after each turn; long polls and slow answers need no rest. */
  readonly restMs: number
  /** One turn of a loop; `turn` counts the turns of all loops of the attack. */
  strike(sender: Sender, turn: number): Promise<unknown>
}

/** Rests; ends early, without an error, with the attack. */
export function rest(ms: number, ending: AbortSignal): Promise<void> {
  if (ms <= 0 || ending.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      ending.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    ending.addEventListener('abort', done)
  })
}

/** Runs an attack until the sender's signal. */
export async function run({ atOnce, restMs, strike }: Attack, sender: Sender): Promise<void> {
  let turns = 0
  const loop = async () => {
    while (!sender.ending.aborted) {
      await strike(sender, turns++)
      // Never without a rest, so that a server that refuses everything does not stop the process.
      await rest(Math.max(1, restMs), sender.ending)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
}

/** Lines of NDJSON, as many as asked for. */
export function lines(count: number, line: (i: number) => unknown): string {
  return Array.from({ length: count }, (_, i) => JSON.stringify(line(i))).join('\n')
}
