/** The verdict of the profile as a table for humans and as one JSON object for programs. */
import type { AttackFigures } from './plan/attack-figures.ts'
import type { Observed, Verdict } from './verdict.ts'

export interface Report {
  readonly verdict: Verdict
  readonly observed: Observed
  readonly attacks: AttackFigures['counts']
}

export function toTable({ verdict, observed, attacks }: Report): string {
  const row = (cells: readonly string[]) => {
    const [name = '', ...others] = cells
    return `  ${name.padEnd(36)}${others.map((cell) => cell.padStart(12)).join('')}`
  }
  const answers = Object.entries(attacks).map(([name, byStatus]) => {
    const counted = Object.entries(byStatus).map(([status, count]) => `${status}: ${count}`)
    return `  ${name.padEnd(14)} ${counted.join(', ')}`
  })
  const failures = Object.entries(observed.attacked.failures).map(([why, n]) => `  ${n} ${why}`)
  return [
    'answers to the attacks, by status (0: none)',
    ...answers,
    ...(failures.length > 0 ? ['failed requests of the steady tenant', ...failures] : []),
    row(['', 'alone', 'attacked', 'bound', '']),
    ...verdict.lines.map(({ name, alone, attacked, bound, holds }) =>
      row([name, alone, attacked, bound, holds ? 'yes' : 'NO']),
    ),
    `verdict: ${verdict.pass ? 'pass' : 'fail'}`,
  ].join('\n')
}

/** The object that `--json` prints last. */
export function toJsonLine({ verdict, observed }: Report): string {
  const half = ({ requests, failed, latenessMs }: Observed['alone']) => ({
    ...{ runs: latenessMs.length, requests, failed },
  })
  const figures = verdict.lines.map(({ name, alone, attacked, bound, holds }) => [
    name,
    { alone, attacked, bound, holds },
  ])
  return JSON.stringify({
    alone: half(observed.alone),
    attacked: half(observed.attacked),
    figures: Object.fromEntries(figures),
    violations: verdict.lines.filter(({ holds }) => !holds).map(({ name }) => name),
    verdict: verdict.pass ? 'pass' : 'fail',
  })
}
