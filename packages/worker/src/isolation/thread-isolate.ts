/**
 * An isolated handler in a thread: quick to start, and it can be ended between two JavaScript
 * instructions.
 */
import { Worker } from 'node:worker_threads'
import { PunctualError } from '@punctual/core/errors'
import { compiledFile, inheritedOptions, type LaunchIsolate } from './isolate.ts'
import { readMarked } from './messages.ts'

export const launchThread: LaunchIsolate = (options, events) => {
  const { handler, module, memoryMb } = options
  const execArgv = inheritedOptions()
  const thread = new Worker(compiledFile(new URL('./inside-thread.js', import.meta.url)), {
    workerData: module,
    name: `punctual ${handler}`,
    // Options that a thread cannot have are inherited, but must not be passed.
    ...(execArgv.length < process.execArgv.length && { execArgv }),
    ...(memoryMb !== null && { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
  })
  let why: Error | null = null
  thread.unref()
  thread.on('message', (received: unknown) => {
    const message = readMarked(received)
    if (message) events.onMessage(message)
  })
  thread.on('error', (error) => {
    why ??= error
  })
  thread.on('exit', (code) => events.onGone(why ?? endedEarly(code)))
  return {
    post: (message) => thread.postMessage(message),
    kill: () => void thread.terminate(),
  }
}

function endedEarly(code: number): PunctualError {
  return new PunctualError(
    'isolate_ended',
    `The thread of the handler ended with code ${code} before the handler did.`,
  )
}
