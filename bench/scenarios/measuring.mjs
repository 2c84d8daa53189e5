/** The steps that several scenarios share. */
import { setTimeout as sleep } from 'node:timers/promises'

const STRANDED_AFTER_MS = 10_000

/** Times `work`, which returns its own `ms` and `cpuMs`, and adds the server's CPU. */
export async function throughput(bench, system, count, work) {
  const before = bench.serverCpuMs(system)
  const { ms, cpuMs } = await work()
  const serverCpuMs = before === null ? null : bench.serverCpuMs(system) - before
  return { perSecond: Math.round((count / ms) * 1000), ms, serverCpuMs, clientCpuMs: cpuMs }
}

/** Submits untimed, then drains with a worker that was just opened. */
export async function submitAndDrain(bench, system, { producer, worker, analyze }, count) {
  await producer.call('bulk', { count })
  await analyze()
  await worker.call('open', { work: true, profile: 'throughput' })
  const result = await throughput(bench, system, count, () => worker.call('drain', { count }))
  await worker.call('close')
  return result
}

/** The sum of what the workers have handled, and when the last of it was. */
export async function progress(workers) {
  const all = await Promise.all(workers.map((worker) => worker.call('progress')))
  return {
    handled: all.reduce((sum, { handled }) => sum + handled, 0),
    lastAtMs: Math.max(...all.map(({ lastAtMs }) => lastAtMs)),
  }
}

/**
 * Waits until `count` runs are handled; gives up when nothing moves for ten seconds.
 * @returns {Promise<{ handled: number, lastAtMs: number }>}
 */
export async function untilHandled(workers, count, { everyMs = 25, onProgress } = {}) {
  let last = { handled: 0, lastAtMs: 0 }
  let movedAt = performance.now()
  while (last.handled < count && performance.now() - movedAt < STRANDED_AFTER_MS) {
    await sleep(everyMs)
    const now = await progress(workers)
    if (now.handled !== last.handled) movedAt = performance.now()
    last = now
    await onProgress?.(now)
  }
  return last
}

export const cpuOf = async (children) => {
  const all = await Promise.all(children.map((child) => child.call('cpu')))
  return all.reduce((sum, ms) => sum + ms, 0)
}
