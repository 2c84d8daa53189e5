/** A worker with one command on another host, which a test kills. */
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { SshExecutor } from '../../dist/executors/ssh/ssh-executor.js'

const { target, key } = JSON.parse(await text(process.stdin))
const after = (ms, call) => {
  // waits: this is the clock of the worker
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}
// waits: this is the clock of the worker
const clock = { after, monotonicMs: () => performance.now(), sleep: (ms) => sleep(ms) }
const executor = new SshExecutor({ clock })
const log = { info: console.log, warn: console.error }
const facts = { runId: 'run-1', idempotencyKey: 'run-1', payload: null, attempt: 1, job: null }
const call = { ...facts, log, heartbeat() {}, secret: async () => key }
const execution = await executor.prepare(target, call)
await execution.execute(new AbortController().signal, '1')
