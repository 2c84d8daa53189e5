/** The flags that say which runs are meant, as the filter of the library. */
import { PunctualError } from '@punctual/core/errors'
import { type RunFilter, type RunState, runStates } from '@punctual/core/run'
import type { Command } from 'commander'
import { parseMomentIn } from './instants.ts'
import { labelsOf } from './submit-flags.ts'

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
    .option('--state <list>', `only these states, with commas: ${states.join(', ')}`)
    .option('--queue <name>', 'only this queue')
    .option('--handler <name>', 'only this handler')
    .option('--job <job>', 'only runs of this job, by its name or id')
    .option('--label <name=value...>', 'only with this label; may be repeated')
    .option('--key-prefix <text>', 'only with a key that begins so')
    .option('--due-from <time>', 'only due at this time or later: 2030-01-31T12:00:00Z, -1h, +5m')
    .option('--due-to <time>', 'only due before this time')
    .option('--created-from <time>', 'only accepted at this time or later')
    .option('--created-to <time>', 'only accepted before this time')
}

export function isFiltered(flags: FilterFlags): boolean {
  return filterNames.some((name) => flags[name] !== undefined)
}

const filterNames = [
  ...(['state', 'queue', 'handler', 'job', 'label', 'keyPrefix'] as const),
  ...(['dueFrom', 'dueTo', 'createdFrom', 'createdTo'] as const),
] as const satisfies readonly (keyof FilterFlags)[]

/** Times without an offset are local time in `tz`. */
export function filterOf(flags: FilterFlags, tz: string, nowMs: number): RunFilter {
  const { state, queue, handler, job, label, keyPrefix } = flags
  const range = (name: 'due' | 'created') => {
    const [from, to] = [flags[`${name}From`], flags[`${name}To`]]
    if (from === undefined && to === undefined) return {}
    const at = (end: string, text: string) => parseMomentIn(`--${name}-${end}`, text, tz, nowMs)
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
    ...(label !== undefined && { labels: labelsOf(label) }),
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
        `--state takes ${runStates.join(', ')}; got ${JSON.stringify(state.slice(0, 80))}.`,
        { field: '--state' },
      )
  return states as RunState[]
}
