/**
 * The frame of every command: resolves the configuration, runs the command, releases what it opened
 * in reverse order whether it succeeded or failed, and sets the exit code.
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
  /** `--json`: print JSON for programs. */
  readonly json: boolean
  readonly interrupts: Interrupts
  /** Registers a cleanup for the end of the command; the last one registered runs first. */
  onEnd(undo: () => Promise<unknown>): void
  /** Registers an action that runs even when a second signal ends the process at once. */
  onHurry(end: () => Promise<unknown>): void
}

export interface PerformOptions {
  /** The command handles signals itself instead of being cut short by the first one. */
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
    // Interrupted work may still fail later; the exit code is already decided.
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
