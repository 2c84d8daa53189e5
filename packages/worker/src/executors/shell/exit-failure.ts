/** The stored failure of a command: its exit code, and the end of its stderr. */
import { constants } from 'node:os'
import { type Failure, limits } from '@punctual/core/errors'
import { exitCodeRanges, type ShellTarget } from '@punctual/core/target'
import { lastOf } from './command-output.ts'
import type { Exceeded } from './tree-watch.ts'

const STDERR_LENGTH = 4_096
const SIGNALLED = 128
/** The program cannot be executed, or was not found. */
const NO_RETRY = '126,127'

/** Whether another attempt would end with the same exit code, by what the target says. */
export function isFinal(code: number, noRetryCodes = NO_RETRY): boolean {
  const ranges = exitCodeRanges(noRetryCodes) ?? []
  return ranges.some(([first, last]) => first <= code && code <= last)
}

export interface ExitFacts {
  readonly code: number
  readonly stderr: string
  readonly exceeded: Exceeded | undefined
  /** Why the attempt was aborted; undefined when it was not. */
  readonly stopped: string | undefined
  readonly target: Pick<ShellTarget, 'memoryMb' | 'processes'>
}

export function failedWith(facts: ExitFacts): Failure {
  const { code, message } = reasonOf(facts)
  return commandFailure(code, message, facts.stderr)
}

/** A failure of a command, with the last lines that it wrote to stderr. */
export function commandFailure(code: string, message: string, stderr: string): Failure {
  const last = lastOf(stderr.trimEnd(), STDERR_LENGTH)
  const text = last === '' ? message : `${message} It wrote to stderr:\n${last}`
  return { name: 'TargetError', code, message: text.slice(0, limits.errorMessageLength) }
}

function reasonOf({ code, exceeded, stopped, target }: ExitFacts) {
  if (exceeded === 'memory')
    return {
      code: 'memory_exceeded',
      message: `The command was killed because it used more than ${target.memoryMb ?? 1_024} MiB of memory. Raise memoryMb, or use less.`,
    }
  if (exceeded === 'processes')
    return {
      code: 'processes_exceeded',
      message: `The command was killed because it had more than ${target.processes ?? 256} processes. Raise processes, or start fewer.`,
    }
  if (stopped !== undefined) return { code: 'stopped', message: stopped }
  const name = signalName(code)
  return {
    code: `exit_${code}`,
    message: `The command ended with exit code ${code}${name ? ` (${name})` : ''}.`,
  }
}

/** The message of an aborted attempt; undefined when it was not aborted. */
export function stoppedBecause({ aborted, reason }: AbortSignal): string | undefined {
  if (!aborted) return undefined
  const why = reason instanceof Error ? `${reason.message} ` : ''
  return `${why}The command was stopped before it ended.`
}

/** Shells report a program that a signal ended as 128 and the number of the signal. */
function signalName(code: number): string | undefined {
  const found = Object.entries(constants.signals).find(
    ([, number]) => number === code - SIGNALLED && code > SIGNALLED,
  )
  return found?.[0]
}
