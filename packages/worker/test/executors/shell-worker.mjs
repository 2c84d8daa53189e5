/** A worker with one command, which a test kills. */
import { setTimeout as sleep } from 'node:timers/promises'
import { findContainment, search } from '../../dist/executors/shell/containment.js'
import { ShellExecutor } from '../../dist/executors/shell/shell-executor.js'

const [directory, kind, seconds] = process.argv.slice(2)
const after = (ms, call) => {
  // waits: this is the clock of the worker
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}
// waits: this is the clock of the worker
const clock = { after, monotonicMs: () => performance.now(), sleep: (ms) => sleep(ms) }
const containment = kind === 'namespace' ? await findContainment() : search
// Without a guard, only the next worker can end the command.
const options = kind === 'unguarded' ? { guard: false } : {}
const executor = new ShellExecutor({ clock, directory, containment, ...options })
const log = { info: console.log, warn: console.error }
const facts = { runId: 'run-1', idempotencyKey: 'run-1', payload: null, attempt: 1, job: null }
const call = { ...facts, log, heartbeat: () => undefined }
const command =
  `setsid sh -c 'trap "" TERM; (trap "" TERM; /bin/sleep ${seconds}) & ' & ` +
  `(setsid sh -c 'trap "" TERM; /bin/sleep ${seconds} & ' &); sleep 0.3; echo ready; /bin/sleep ${seconds}`
const execution = await executor.prepare({ kind: 'shell', shell: true, command }, call)
await execution.execute(new AbortController().signal, '1')
