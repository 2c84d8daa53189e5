/** Prints the guarantees: a line each, then the causes that weaken any of them, then notes. */
import type { GuaranteePanel } from '@punctual/core/ports'
import type { Terminal } from '../runtime/terminal.ts'
import { wrap } from './wrap.ts'

const TITLE_WIDTH = 30
const CAUSE_WIDTH = 22

export function showGuarantees(terminal: Terminal, panel: GuaranteePanel): void {
  const { line, colors, width } = terminal
  const { version, timeline, startedAt, zoneData } = panel.facts
  const since = startedAt.toISOString().slice(0, 19)
  line(colors.bold('Guarantees on this server, in its current state'))
  line(
    colors.dim(
      `PostgreSQL ${version}, timeline ${timeline}, up since ${since}Z; zone data ${zoneData}`,
    ),
  )
  for (const { title, verdict, causes } of panel.guarantees) {
    const mark = verdict === 'holds' ? colors.green('holds   ') : colors.red('WEAKENED')
    const because = causes.length > 0 ? `by ${causes.join(', ')}` : ''
    line(`${mark}  ${title.padEnd(TITLE_WIDTH)}${because}`.trimEnd())
  }
  for (const { cause, why, advice } of panel.weaknesses) {
    line()
    const indent = ' '.repeat(CAUSE_WIDTH)
    const room = width - CAUSE_WIDTH
    const [first = '', ...others] = wrap(why, room)
    line(`${colors.bold(cause.padEnd(CAUSE_WIDTH))}${first}`)
    for (const part of others) line(`${indent}${part}`)
    const [start = '', ...rest] = wrap(advice, room - 2)
    line(`${indent}→ ${start}`)
    for (const part of rest) line(`${indent}  ${part}`)
  }
  if (panel.notes.length > 0) line()
  for (const note of panel.notes)
    for (const [i, part] of wrap(note, width - 2).entries())
      line(colors.dim(`${i === 0 ? '· ' : '  '}${part}`))
}
