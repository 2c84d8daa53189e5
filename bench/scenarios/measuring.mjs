/** Steps shared by several scenarios. */
import { setTimeout as sleep } from 'node:timers/promises'
import { machineCpuMs } from '../lib/cpu.mjs'

const STRANDED_AFTER_MS = 10_000
const JOBS_WARM_UP = 10_000

/** Times `work`, which returns its own `ms`. */
export async function throughput(bench, system, child, count, work) {
  const cpuUsed = await watchCpu(bench, system, [child])
  const { ms } = await work()
  return { perSecond: Math.round((count / ms) * 1000), ms, ...(await cpuUsed()) }
}

/**
 * Splits the CPU used from now on between the server, the clients and all other processes.
 * @returns {Promise<() => Promise<{ serverCpuMs: number | null, clientCpuMs: number, otherCpuMs: number | null }>>}
 */
export async function watchCpu(bench, system, children) {
  const client = await cpuOf(children)
  const [server, machine] = [bench.serverCpuMs(system), machineCpuMs()]
  return async () => {
    const serverCpuMs = server === null ? null : bench.serverCpuMs(system) - server
    const machineMs = machine === null ? null : machineCpuMs() - machine
    const clientCpuMs = (await cpuOf(children)) - client
    const known = machineMs !== null && serverCpuMs !== null
    const otherCpuMs = known ? Math.max(0, machineMs - serverCpuMs - clientCpuMs) : null
    return { serverCpuMs, clientCpuMs, otherCpuMs }
  }
}

/** Submits untimed, then drains with a newly opened worker. `bulk` adds submission options. */
export async function submitAndDrain(bench, system, parts, count, bulk = {}) {
  const { producer, worker, analyze } = parts
  await producer.call('bulk', { count, ...bulk })
  await analyze()
  await worker.call('open', { work: true, profile: 'throughput' })
  const result = await throughput(bench, system, worker, count, () =>
    worker.call('drain', { count }),
  )
  await worker.call('close')
  return result
}

/** The number of runs that the workers handled, and when the last one was. */
export async function progress(workers) {
  const all = await Promise.all(workers.map((worker) => worker.call('progress')))
  return {
    handled: all.reduce((sum, { handled }) => sum + handled, 0),
    lastAtMs: Math.max(...all.map(({ lastAtMs }) => lastAtMs)),
  }
}

/**
 * Waits until `count` runs are handled; gives up after ten seconds without progress.
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

/** Plain runs for a worker that will run jobs: neither start-up nor a cold compiler is measured. */
export async function warmUpForJobs(producer, worker) {
  await producer.call('open', { produce: true, profile: 'throughput' })
  await producer.call('bulk', { count: JOBS_WARM_UP })
  await worker.call('startJobs')
  while (!(await worker.call('settled'))) await sleep(100)
  await untilCalm([worker])
}

/** Waits until started workers are idle: less than a tenth of a core between them. */
export async function untilCalm(workers) {
  for (let tries = 0; tries < 40; tries++) {
    const before = await cpuOf(workers)
    await sleep(500)
    if ((await cpuOf(workers)) - before < 50) return
  }
}

const cpuOf = async (children) => {
  const all = await Promise.all(children.map((child) => child.call('cpu')))
  return all.reduce((sum, ms) => sum + ms, 0)
}
