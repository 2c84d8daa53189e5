/** The thread of an isolated handler. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openInside } from './inside.ts'

const port = parentPort as MessagePort
port.on(
  'message',
  openInside(workerData, (message) => port.postMessage(message)),
)
