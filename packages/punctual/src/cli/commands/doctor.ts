/** `punctual doctor`: examines the database and says what each finding means. Exit 1 when something must be mended. */
import { randomUUID } from 'node:crypto'
import {
  examine,
  type Finding,
  type Level,
  PostgresStore,
  systemClock,
  systemRandom,
} from '@punctual/store'
import type { Command } from 'commander'
import { exit } from '../exit-code.ts'
import { openDatabase } from '../open-database.ts'
import { type CommandContext, perform } from '../perform.ts'
import { addFlags } from '../setting-flags.ts'
import type { Terminal } from '../terminal.ts'

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('examine the database: settings, clock, pooling, days of history, privileges')
  addFlags(command, ['database'])
  command.action(() => perform(command, runDoctor))
}

async function runDoctor(context: CommandContext) {
  const { config, terminal } = context
  const { url, description } = await openDatabase(context, 'use')
  const ports = { clock: systemClock, random: systemRandom, node: randomUUID() }
  const { preparedStatements: prepared, schema, retentionDays } = config
  const choice = prepared === 'auto' ? {} : { preparedStatements: prepared }
  const store = new PostgresStore({ url, schema, ...choice, ...ports })
  context.onEnd(() => store.close())
  const findings = await examine(store.database, { retentionDays })
  const count = (level: Level) => findings.filter((it) => it.level === level).length
  const summary = { ok: count('ok'), warn: count('warn'), fail: count('fail') }
  if (context.json) terminal.json({ database: description, ...summary, findings })
  else {
    terminal.line(`${description}, schema ${schema}\n`)
    for (const finding of findings) showFinding(terminal, finding)
    terminal.line(`\n${summary.ok} fine, ${summary.warn} to look at, ${summary.fail} to mend`)
  }
  return summary.fail > 0 ? exit.failure : exit.ok
}

const CHECK_WIDTH = 20
const INDENT = ' '.repeat(CHECK_WIDTH + 6)

function showFinding({ line, colors, width }: Terminal, finding: Finding): void {
  const { check, level, found, meaning, advice } = finding
  const mark = { ok: colors.green('ok  '), warn: colors.yellow('warn'), fail: colors.red('FAIL') }
  const first = `${mark[level]}  ${check.padEnd(CHECK_WIDTH)}${colors.bold(found)}`
  const room = width - INDENT.length
  if (found.length + 2 + meaning.length <= room) line(`${first}  ${colors.dim(meaning)}`)
  else {
    line(first)
    for (const part of wrap(meaning, room)) line(`${INDENT}${colors.dim(part)}`)
  }
  if (advice === '') return
  const [start, ...rest] = wrap(advice, room - 2)
  line(`${INDENT}→ ${start}`)
  for (const part of rest) line(`${INDENT}  ${part}`)
}

/** Breaks a text between its words. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
