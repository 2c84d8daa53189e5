/**
 * An isolated handler in a process: it shares nothing, and is killed together with all processes
 * that it started.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { PunctualError } from '@punctual/core/errors'
import { compiledFile, inheritedOptions, type LaunchIsolate } from './isolate.ts'
import { readMarked } from './messages.ts'
import { reviveThrown } from './thrown.ts'

export const launchProcess: LaunchIsolate = (options, events) => {
  const { module, memoryMb } = options
  const memory = memoryMb === null ? [] : [`--max-old-space-size=${memoryMb}`]
  const file = compiledFile(new URL('./inside-process.js', import.meta.url))
  const child = fork(fileURLToPath(file), [JSON.stringify(module), String(process.pid)], {
    // A separate process group, so that it can be killed with its children.
    detached: true,
    serialization: 'advanced',
    execArgv: [...inheritedOptions(), ...memory],
  })
  let why: Error | null = null
  child.unref()
  child.channel?.unref()
  child.on('message', (received: unknown) => {
    const message = readMarked(received)
    if (!message) return
    if (message.kind === 'crashed') why = reviveThrown(message.thrown)
    else events.onMessage(message)
  })
  let ended = false
  const end = (error: Error) => {
    if (ended) return
    // Also kills children that a process left behind when it ended by itself. Later its id may
    // belong to another process.
    killGroup(child)
    ended = true
    events.onGone(why ?? error)
  }
  child.once('error', end)
  child.once('exit', (code, signal) => end(endedEarly(signal ?? `code ${code}`)))
  return {
    // A process that has just ended is reported by its exit event.
    post: (message) => void (child.connected && child.send(message, () => undefined)),
    kill: () => {
      if (!ended) killGroup(child)
    },
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') {
    child.kill('SIGKILL')
    return
  }
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group is empty.
  }
}

function endedEarly(cause: string): PunctualError {
  return new PunctualError(
    'isolate_ended',
    `The process of the handler ended with ${cause} before the handler did.`,
  )
}
