/** The real clock and the real source of randomness. */
import { randomFillSync } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Clock, Random } from '@punctual/core/clock'

/** The longest delay of a timer; a longer one would fire at once. */
const TIMER_MAX_MS = 2_147_483_647

/** Monotonic milliseconds, equal in all threads of the process; those of `performance` are not. */
export const processMs = (): number => Number(process.hrtime.bigint()) / 1e6

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        cancel()
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const cancel = after(ms, done)
      signal?.addEventListener('abort', done)
    }),
}

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, Math.min(Math.max(0, ms), TIMER_MAX_MS))
  return () => clearTimeout(timer)
}

const words = new BigUint64Array(1)

export const systemRandom: Random = {
  fraction: Math.random,
  token: () => {
    randomFillSync(words)
    return ((words[0] ?? 0n) >> 1n || 1n).toString()
  },
  fill: (bytes) => {
    randomFillSync(bytes)
  },
}
