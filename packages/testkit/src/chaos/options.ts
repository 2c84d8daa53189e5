/** The campaign's command line. */
import { parseArgs } from 'node:util'

export interface Options {
  readonly seconds: number
  readonly seed: number
  readonly jobs: number
  readonly mutant: string | null
  readonly scenario: string | null
  readonly json: boolean
  readonly svg: string | null
  readonly keep: boolean
  readonly scale: number
  readonly profile: Profile | null
  /** The attacks of a profile; null for all of them. */
  readonly attacks: readonly string[] | null
}

export const profiles = ['hostile-tenant'] as const
export type Profile = (typeof profiles)[number]

export const USAGE = `npm run chaos -- [--seconds N] [--seed S] [--json] [--svg FILE]

  --seconds N      how long the jobs fire: calm, faults, calm again (120)
  --seed S         decides the faults; the same seed plans the same faults (time of day)
  --jobs N         how many jobs fire, each about 0.6 times a second (60)
  --profile NAME   run a load with its own verdict instead: hostile-tenant (60 seconds)
  --attacks LIST   the attacks of the profile (all)
  --scenario NAME  run one scripted scenario instead; "list" prints their names
  --scale X        the size of a scenario, from 0.01 on (1)
  --mutant NAME    break the product first, and see the campaign fail; "list" prints the names
  --json           print the verdict as one line of JSON at the end
  --svg FILE       draw the timeline
  --keep           keep the directory with ledgers, logs and databases

Exits with 0 when nothing was violated, with 1 otherwise.`

export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      jobs: { type: 'string', default: '60' },
      mutant: { type: 'string' },
      scenario: { type: 'string' },
      json: { type: 'boolean', default: false },
      svg: { type: 'string' },
      keep: { type: 'boolean', default: false },
      scale: { type: 'string', default: '1' },
      profile: { type: 'string' },
      attacks: { type: 'string' },
    },
  })
  const profile = profileOf(values.profile)
  const seconds = values.seconds ?? (profile === null ? '120' : '60')
  return {
    ...{ profile, attacks: values.attacks?.split(',') ?? null },
    seconds: whole('seconds', seconds, 10, 86_400),
    seed: whole('seed', values.seed, 0, 0xffffffff),
    jobs: whole('jobs', values.jobs, 1, 10_000),
    mutant: values.mutant ?? null,
    scenario: values.scenario ?? null,
    json: values.json,
    svg: values.svg ?? null,
    keep: values.keep,
    scale: Math.max(0.01, Number(values.scale) || 1),
  }
}

function profileOf(name: string | undefined): Profile | null {
  if (name === undefined) return null
  const found = profiles.find((profile) => profile === name)
  if (found) return found
  throw new Error(`--profile must be one of ${profiles.join(', ')}; got ${name}.`)
}

function whole(name: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new Error(`--${name} must be an integer from ${min} to ${max}; got ${text}.`)
}
