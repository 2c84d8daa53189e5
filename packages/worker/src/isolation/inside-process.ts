/**
 * The process of an isolated handler. It leads its own process group, which ends as a whole: when
 * its worker kills it, and by itself when its worker is gone. A thread watches for the latter,
 * because the handler may block.
 */
import { Worker } from 'node:worker_threads'
import { endGroup } from './end-group.ts'
import { openInside } from './inside.ts'
import { type FromIsolate, markMessage } from './messages.ts'
import { recordThrown } from './thrown.ts'

const [module, parent] = process.argv.slice(2) as [string, string]

const send = (message: FromIsolate, sent?: () => void) => {
  // When the worker is gone nobody receives the message; the watch then ends this process.
  if (process.connected) process.send?.(markMessage(message), undefined, undefined, () => sent?.())
}

process.on('message', openInside(JSON.parse(module), send) as (message: unknown) => void)
process.on('uncaughtException', (error) => {
  console.error(error)
  send({ kind: 'crashed', thrown: recordThrown(error) }, () => process.exit(1))
})
process.on('disconnect', () => endGroup(process.pid))

const workerData = { parent: Number(parent), leader: process.pid }
new Worker(new URL('./orphan-watch.js', import.meta.url), { workerData, execArgv: [] }).unref()
