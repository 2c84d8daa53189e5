/**
 * `npm run simulate -- --seeds 500 | --seed 7 | --slots 1000000 [--from 1] [--events 500] [--mutant NAME] [--json]`
 *
 * Runs seeds from 1 on, one seed, or as many seeds with many jobs as produce the given number of
 * slots. Exits with 1 when a seed broke an invariant, after the violation, the last events before
 * it, the settings that it needs, and the command that reproduces it.
 */
import { parseArgs } from 'node:util'
import { minimise } from './minimise.ts'
import { mutants, optionsOf } from './mutants.ts'
import { runSeeds, type Total } from './run-seeds.ts'
import type { SimulationOptions, SimulationResult } from './simulate.ts'
import { withManySlots } from './world/settings.ts'

const SEEDS = 500
const TRACE_LINES = 60
const PROGRESS_MS = 5_000

const say = (text: string) => void process.stdout.write(`${text}\n`)

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      seed: { type: 'string' },
      from: { type: 'string' },
      events: { type: 'string' },
      slots: { type: 'string' },
      mutant: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const mutant = mutants.find(({ name }) => name === values.mutant)
  if (values.mutant !== undefined && !mutant) {
    const known = mutants.map(({ name, what }) => `  ${name}: ${what}`).join('\n')
    process.stderr.write(`Unknown mutant ${values.mutant}. Known mutants:\n${known}\n`)
    return 2
  }
  const events = values.events === undefined ? {} : { events: whole('events', values.events) }
  const optionsFor = (seed: number): SimulationOptions =>
    mutant
      ? { ...optionsOf(mutant, seed), ...events }
      : { seed, ...events, ...(values.slots !== undefined && { change: withManySlots }) }
  const total = await runSeeds({
    from: whole('from', values.seed ?? values.from ?? '1'),
    seeds: values.seed === undefined ? whole('seeds', values.seeds ?? String(SEEDS)) : 1,
    ...(values.slots !== undefined &&
      values.seed === undefined && { slots: whole('slots', values.slots) }),
    optionsOf: optionsFor,
    onSeed: values.json ? () => undefined : progress(),
  })
  const flags = (['events', 'slots', 'mutant'] as const).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name} ${values[name]}`],
  )
  const again = ({ seed }: SimulationResult) =>
    ['npm run simulate -- --seed', seed, ...flags].join(' ')
  const [first] = total.failed
  if (first && !values.json) await explain(first, optionsFor(first.seed), again(first))
  if (values.json) say(JSON.stringify(summary(total, again)))
  else say(inWords(total))
  return total.failed.length > 0 ? 1 : 0
}

function whole(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new Error(`--${name} must be an integer; got ${text}.`)
}

function progress(): (total: Total) => void {
  let saidMs = performance.now()
  return (total) => {
    if (performance.now() - saidMs < PROGRESS_MS) return
    saidMs = performance.now()
    say(inWords(total))
  }
}

const inWords = ({ seeds, events, slots, runs, effects, duplicates, failed }: Total) =>
  `${seeds} seeds, ${events} events, ${runs} runs, ${slots} slots, ${effects} starts, ` +
  `${duplicates} runs started more than once; ${failed.length} seeds broke an invariant`

async function explain(
  failure: SimulationResult,
  options: SimulationOptions,
  again: string,
): Promise<void> {
  const least = await minimise(options, failure)
  const { faults, ...settings } = least.settings
  say(least.trace.slice(-TRACE_LINES).join('\n'))
  say(`seed ${failure.seed} broke ${failure.violations.map(({ message }) => message).join('\n')}`)
  say(`the failure needs only ${JSON.stringify({ faults: [...faults.enabled], ...settings })}`)
  say(`again: ${again}`)
}

function summary(total: Total, again: (result: SimulationResult) => string) {
  const { failed, ...counts } = total
  const violations = failed.map((result) => ({
    ...{ seed: result.seed, invariant: result.violations[0]?.invariant },
    ...{ what: result.violations[0]?.message, again: again(result) },
  }))
  return { ...counts, violations, verdict: failed.length > 0 ? 'fail' : 'pass' }
}

process.exitCode = await main()
