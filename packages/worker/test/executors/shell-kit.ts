/** Runs commands with the shell executor, with and without process namespaces. */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ShellTarget } from '@punctual/core/target'
import { systemClock } from '@punctual/store'
import { afterAll, beforeAll } from 'vitest'
import type { Call } from '../../src/executors/executor.ts'
import { type Containment, findContainment, search } from '../../src/executors/shell/containment.ts'
import { ShellExecutor } from '../../src/executors/shell/shell-executor.ts'
import type { RunLog } from '../../src/handler/handler.ts'
import { recordedCall } from './recorded-call.ts'

type CallOptions = Parameters<typeof recordedCall>[0]

export interface Command extends Omit<Partial<ShellTarget>, 'kind'> {
  readonly call?: CallOptions
  /** Called with each line as it is logged. */
  readonly onLine?: (message: string) => void
  readonly signal?: AbortSignal
}

const found = await findContainment()

/** The ways to contain a command that this machine has, by name. */
export const containments: readonly [string, Containment][] =
  found.kind === 'namespace'
    ? [
        ['in a namespace', found],
        ['found by searching', search],
      ]
    : [['found by searching', search]]

const never = new AbortController().signal

function watchedLog(log: RunLog, onLine: Command['onLine']): RunLog {
  const at = (level: keyof RunLog) => (message: string) => {
    log[level](message)
    onLine?.(message)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export function shellKit(containment: Containment) {
  let directory = ''
  let executor: ShellExecutor
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'punctual-shell-test-'))
    executor = new ShellExecutor({ clock: systemClock, directory, containment })
  })
  afterAll(async () => {
    await executor.close()
    await rm(directory, { recursive: true, force: true })
  })

  async function run({ call, onLine, signal = never, ...target }: Command) {
    const recorded = recordedCall(call ?? {})
    const { log } = recorded
    const watched: Call = { ...recorded, log: watchedLog(log, onLine) }
    const { command = [], ...rest } = target
    const execution = await executor.prepare({ kind: 'shell', command, ...rest }, watched)
    const outcome = await execution.execute(signal, 'fence-1')
    return { outcome, lines: recorded.lines }
  }

  return {
    run,
    script: (command: string, rest: Command = {}) => run({ shell: true, command, ...rest }),
    get directory() {
      return directory
    },
  }
}

/** The processes whose command line has the text, which a test makes unique. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && commandOf(pid).includes(text))
}

function commandOf(pid: number): string {
  try {
    // A zombie has no command line.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** The processes that sleep this long, without those whose script says so. */
export function sleepersOf(seconds: string): number[] {
  return processesWith(`sleep ${seconds}`).filter((pid) =>
    /^(\/bin\/)?sleep [\d.]+ $/.test(commandOf(pid)),
  )
}

let last = 0
/** A duration for `sleep` that no other test uses, so that its processes can be found. */
export const uniqueSleep = () => `${90_000 + (process.pid % 1_000)}.${++last}${Date.now() % 10_000}`
