/** CPU of a server from /proc: the parent, its living children, and the children it has reaped. */
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const MS_PER_TICK = 10

/** @returns {number | null} null where there is no /proc */
export function treeCpuMs(pid) {
  const root = readStat(pid)
  if (!root) return null
  let ticks = root.own + root.reaped
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = readStat(entry)
    if (stat?.parent === pid) ticks += stat.own + stat.reaped
  }
  return ticks * MS_PER_TICK
}

function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [parent, user, kernel, childUser, childKernel] = [1, 11, 12, 13, 14].map((i) =>
      Number(fields[i]),
    )
    return { parent, own: user + kernel, reaped: childUser + childKernel }
  } catch {
    return undefined
  }
}

/** CPU used by the whole machine, including time stolen by its host. */
export function machineCpuMs() {
  try {
    const [line] = readFileSync('/proc/stat', 'latin1').split('\n')
    const [user, nice, system, , , irq, softirq, steal] = line
      .trim()
      .split(/\s+/)
      .slice(1)
      .map(Number)
    return (user + nice + system + irq + softirq + steal) * MS_PER_TICK
  } catch {
    return null
  }
}

/** One sentence on the bottleneck of a measurement, derived from the load of server and client. */
export function whatLimited({ ms, serverCpuMs, clientCpuMs, otherCpuMs, clients = 1 }) {
  const cores = availableParallelism()
  const client = clientCpuMs / ms
  const other = (otherCpuMs ?? 0) / ms
  if (serverCpuMs === null)
    return `client ${client.toFixed(2)} cores; the server's CPU is not visible`
  const server = serverCpuMs / ms
  const split = `server ${server.toFixed(2)} + client ${client.toFixed(2)} of ${cores} cores`
  if (other > 0.15) return `${split}; NOT A QUIET MACHINE, ${other.toFixed(2)} cores did other work`
  if (server + client > 0.9 * cores) return `${split}: the machine's CPU`
  if (clients === 1 && client > 0.85) return `${split}: the client's one thread`
  return `${split}: waiting for round trips, commits, locks or timers`
}
