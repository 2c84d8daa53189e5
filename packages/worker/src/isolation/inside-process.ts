/**
 * The process of an isolated handler. It leads a group of its own, which ends as a whole: when its worker says so by
 * killing it, and by itself when its worker is gone. A thread looks after the latter, since the handler may block.
 */
import { Worker } from 'node:worker_threads'
import { endGroup } from './end-group.ts'
import { openInside } from './inside.ts'
import { type FromIsolate, markMessage } from './messages.ts'
import { recordThrown } from './thrown.ts'

const [module, parent] = process.argv.slice(2) as [string, string]

const say = (message: FromIsolate, sent?: () => void) => {
  // A worker that is gone does not listen; the watch ends us then.
  if (process.connected) process.send?.(markMessage(message), undefined, undefined, () => sent?.())
}

process.on('message', openInside(JSON.parse(module), say) as (message: unknown) => void)
process.on('uncaughtException', (error) => {
  console.error(error)
  say({ kind: 'crashed', thrown: recordThrown(error) }, () => process.exit(1))
})
process.on('disconnect', () => endGroup(process.pid))

const workerData = { parent: Number(parent), leader: process.pid }
new Worker(new URL('./orphan-watch.js', import.meta.url), { workerData, execArgv: [] }).unref()
