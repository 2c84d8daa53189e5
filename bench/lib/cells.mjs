/** Formats figures for the table and selects those for the JSON line. */

export const number = (value) =>
  value === null || value === undefined ? '-' : Math.round(value).toLocaleString('en-US')

export const milliseconds = (value) => (value === null ? '-' : value.toFixed(value < 10 ? 2 : 0))

/** CPU per run in microseconds if the result has a count; otherwise cores in use. */
export function cpuColumns({ count, ms, serverCpuMs, clientCpuMs }) {
  if (!count) {
    const cores = (cpuMs) => (cpuMs === null ? '-' : (cpuMs / ms).toFixed(2))
    return { 'cores server + client': `${cores(serverCpuMs)} + ${cores(clientCpuMs)}` }
  }
  const perRun = (cpuMs) => (cpuMs === null ? '-' : ((cpuMs * 1000) / count).toFixed(1))
  return { 'us/run server': perRun(serverCpuMs), 'us/run client': perRun(clientCpuMs) }
}

export const latencyColumns = ({ p50Ms, p99Ms, maxMs }) => ({
  'p50 ms': milliseconds(p50Ms),
  'p99 ms': milliseconds(p99Ms),
  'max ms': milliseconds(maxMs),
})

export const perSecondJson = ({ perSecond }) => ({ perSecond })

export const latencyJson = ({ p50Ms, p99Ms, maxMs }) => ({ p50Ms, p99Ms, maxMs })
