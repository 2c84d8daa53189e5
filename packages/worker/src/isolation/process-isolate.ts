/** An isolated handler in a process: it shares nothing, and is killed with everything that it has started. */
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
    // A group of its own, so that it can be killed with its children.
    detached: true,
    serialization: 'advanced',
    execArgv: [...inheritedOptions(), ...memory],
  })
  let why: Error | null = null
  child.unref()
  child.channel?.unref()
  child.on('message', (came: unknown) => {
    const message = readMarked(came)
    if (!message) return
    if (message.kind === 'crashed') why = reviveThrown(message.thrown)
    else events.onMessage(message)
  })
  let ended = false
  const end = (error: Error) => {
    if (ended) return
    // Also what it has left behind when it has ended by itself. Later its number may be somebody else's.
    killGroup(child)
    ended = true
    events.onGone(why ?? error)
  }
  child.once('error', end)
  child.once('exit', (code, signal) => end(endedEarly(signal ?? `code ${code}`)))
  return {
    // One that has just ended says so by itself.
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
    // Nobody is left in it.
  }
}

function endedEarly(how: string): PunctualError {
  return new PunctualError(
    'isolate_ended',
    `The process of the handler ended with ${how} before the handler did.`,
  )
}
