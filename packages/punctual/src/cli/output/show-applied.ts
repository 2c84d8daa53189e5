/** Prints what `jobs apply` or `import crontab --apply` changed, or would change. */

import type { DeclaredChange } from '../../jobs/declaration.ts'
import type { ApplyResult } from '../jobs-file/apply-jobs.ts'
import type { Terminal } from '../runtime/terminal.ts'

const VALUE_MAX = 200

export function showApplied(terminal: Terminal, result: ApplyResult, diff: boolean): void {
  const { green, yellow, red, dim } = terminal.colors
  const { line } = terminal
  const { calendars, changes } = result
  const name = result.source === null ? 'no source' : `source ${result.source}`
  line(`${name}: ${summary(result, diff)}`)
  for (const calendar of calendars.created) line(green(`+ calendar ${calendar}`))
  for (const calendar of calendars.updated) line(yellow(`~ calendar ${calendar}`))
  for (const job of result.created) line(green(`+ ${job}`))
  for (const job of result.updated) {
    line(yellow(`~ ${job}`))
    for (const change of changes[job] ?? []) line(dim(`    ${changeText(change)}`))
  }
  for (const job of result.removed) line(red(`- ${job}`))
  if (result.kept.length > 0)
    line(dim(`not in the file, kept without --prune: ${result.kept.join(', ')}`))
}

function summary(result: ApplyResult, diff: boolean): string {
  const { created, updated, unchanged, removed } = result
  const counts = Object.entries({ created, updated, unchanged, removed })
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${names.length} ${what}`)
  const text = counts.join(', ') || 'nothing declared'
  return diff ? `would be ${text}` : text
}

function changeText({ field, from, to }: DeclaredChange): string {
  return `${field}: ${valueText(from)} → ${valueText(to)}`
}

function valueText(value: unknown): string {
  if (value === undefined) return '(unset)'
  const text = JSON.stringify(value)
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text
}
