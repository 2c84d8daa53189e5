/** An isolated handler in a process: it shares nothing, and is killed with everything that it has started. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { PunctualError } from '@punctual/core'
import { compiledFile, inheritedOptions, type LaunchIsolate } from './isolate.ts'
import type { FromIsolate } from './messages.ts'
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
  child.on('message', (message: FromIsolate) => {
    if (message.kind === 'crashed') why = reviveThrown(message.thrown)
    else events.onMessage(message)
  })
  const gone = (error: Error) => {
    killGroup(child)
    events.onGone(why ?? error)
  }
  child.once('error', gone)
  child.once('exit', (code, signal) => gone(endedEarly(signal ?? `code ${code}`)))
  return {
    // One that has just ended says so by itself.
    post: (message) => void (child.connected && child.send(message, () => undefined)),
    kill: () => killGroup(child),
  }
}

/** Also what the process has left behind when it has ended by itself. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  for (const target of [-pid, pid])
    try {
      process.kill(target, 'SIGKILL')
      return
    } catch {
      // It is gone, or this platform has no groups.
    }
}

function endedEarly(how: string): PunctualError {
  return new PunctualError(
    'isolate_ended',
    `The process of the handler ended with ${how} before the handler did.`,
  )
}
