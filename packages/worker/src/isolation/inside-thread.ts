/** The thread of an isolated handler. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openInside } from './inside.ts'
import { markMessage } from './messages.ts'

const port = parentPort as MessagePort
port.on(
  'message',
  openInside(workerData, (message) => port.postMessage(markMessage(message))),
)
