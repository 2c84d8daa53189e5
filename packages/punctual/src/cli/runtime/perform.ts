/**
 * The frame around every command: resolves the configuration, runs the work, undoes what it opened in the
 * reverse order however it ended, and leaves with the exit code that says so.
 */
import type { Command } from 'commander'
import { type ResolvedConfig, resolveConfig } from '../../config/resolve-config.ts'
import type { Config } from '../../config/settings.ts'
import { type ExitCode, exit } from './exit-code.ts'
import { Interrupts } from './interrupts.ts'
import { flagsOf } from './setting-flags.ts'
import { createTerminal, type Terminal } from './terminal.ts'

const HURRY_MS = 5_000

export interface CommandContext {
  readonly terminal: Terminal
  readonly config: Config
  readonly resolved: ResolvedConfig
  /** The answer is for a program. */
  readonly json: boolean
  readonly interrupts: Interrupts
  /** Undone when the command ends, the last one first. */
  onEnd(undo: () => Promise<unknown>): void
  /** What must be ended even in a hurry. */
  onHurry(end: () => Promise<unknown>): void
}

export interface PerformOptions {
  /** The work itself ends well on a signal, rather than being cut short by it. */
  readonly handlesInterrupts?: boolean
}

type Work = (context: CommandContext) => Promise<ExitCode>

export async function perform(command: Command, work: Work, options: PerformOptions = {}) {
  const terminal = createTerminal()
  const interrupts = new Interrupts()
  const undos: (() => Promise<unknown>)[] = []
  const hurried: (() => Promise<unknown>)[] = []
  interrupts.onSecond(() => void leaveAtOnce(hurried))
  let code: ExitCode = exit.ok
  try {
    const { flags, configPath, json } = flagsOf(command)
    const resolved = resolveConfig({ flags, configPath, env: process.env, cwd: process.cwd() })
    const done = work({
      terminal,
      resolved,
      config: resolved.config,
      json,
      interrupts,
      onEnd: (undo) => void undos.unshift(undo),
      onHurry: (end) => void hurried.push(end),
    })
    const cut = interrupts.first.then(() => exit.interrupted)
    code = await (options.handlesInterrupts ? done : Promise.race([done, cut]))
    // Work that was cut short may still fail, and nobody cares.
    done.catch(() => undefined)
  } catch (error) {
    code = interrupts.signal.aborted ? exit.interrupted : terminal.fail(error)
  }
  for (const undo of undos) await undo().catch((error: unknown) => terminal.fail(error))
  interrupts.dispose()
  process.exitCode = code
  if (interrupts.signal.aborted) process.exit(code)
}

async function leaveAtOnce(hurried: readonly (() => Promise<unknown>)[]): Promise<void> {
  setTimeout(() => process.exit(exit.interrupted), HURRY_MS)
  await Promise.allSettled(hurried.map((end) => end()))
  process.exit(exit.interrupted)
}
