/** Defines the flags that select runs, and converts them to the library's run filter. */
import { PunctualError } from '@punctual/core/errors'
import { type RunFilter, type RunState, runStates } from '@punctual/core/run'
import type { Command } from 'commander'
import { parseInstantIn } from './instants.ts'
import { parsePairs } from './labels.ts'

export interface FilterFlags {
  state?: string
  queue?: string
  handler?: string
  job?: string
  label?: string[]
  keyPrefix?: string
  dueFrom?: string
  dueTo?: string
  createdFrom?: string
  createdTo?: string
}

export function addFilterFlags(command: Command, states: readonly RunState[] = runStates): Command {
  return command
    .option('--state <list>', `only in these states, separated by commas: ${states.join(', ')}`)
    .option('--queue <name>', 'only of this queue')
    .option('--handler <name>', 'only of this handler')
    .option('--job <job>', 'only of this job, by name or id')
    .option('--label <name=value...>', 'only with this label; may be repeated')
    .option('--key-prefix <text>', 'only with a key that starts with this')
    .option('--due-from <time>', 'only due at or after this time: 2030-01-31T12:00:00Z, -1h, +5m')
    .option('--due-to <time>', 'only due before this time')
    .option('--created-from <time>', 'only created at or after this time')
    .option('--created-to <time>', 'only created before this time')
}

export function isFiltered(flags: FilterFlags): boolean {
  return filterNames.some((name) => flags[name] !== undefined)
}

const filterNames = [
  ...(['state', 'queue', 'handler', 'job', 'label', 'keyPrefix'] as const),
  ...(['dueFrom', 'dueTo', 'createdFrom', 'createdTo'] as const),
] as const satisfies readonly (keyof FilterFlags)[]

/** Returns the run filter of the flags. Times without an offset are local times in `tz`. */
export function filterOf(flags: FilterFlags, tz: string, nowMs: number): RunFilter {
  const { state, queue, handler, job, label, keyPrefix } = flags
  const range = (name: 'due' | 'created') => {
    const [from, to] = [flags[`${name}From`], flags[`${name}To`]]
    if (from === undefined && to === undefined) return {}
    const at = (end: string, text: string) => parseInstantIn(`--${name}-${end}`, text, tz, nowMs)
    const bounds = {
      ...(from !== undefined && { from: at('from', from) }),
      ...(to !== undefined && { to: at('to', to) }),
    }
    return { [name]: bounds }
  }
  return {
    ...(state !== undefined && { states: statesOf(state) }),
    ...(queue !== undefined && { queue }),
    ...(handler !== undefined && { handler }),
    ...(job !== undefined && { job }),
    ...(label !== undefined && { labels: parsePairs('--label', label) }),
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...range('due'),
    ...range('created'),
  }
}

function statesOf(text: string): RunState[] {
  const states = text.split(',').map((name) => name.trim())
  for (const state of states)
    if (!runStates.includes(state as RunState))
      throw new PunctualError(
        'invalid_option',
        `--state must be one or more of ${runStates.join(', ')}; got ${JSON.stringify(state.slice(0, 80))}.`,
        { field: '--state' },
      )
  return states as RunState[]
}
