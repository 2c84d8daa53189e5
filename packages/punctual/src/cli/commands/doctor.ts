/**
 * `punctual doctor`: checks the database, explains each finding, and shows which guarantees hold.
 * Exit 1 when a check fails.
 */
import { randomUUID } from 'node:crypto'
import {
  examine,
  type Finding,
  judgeGuarantees,
  type Level,
  PostgresStore,
  readGuaranteeFacts,
  systemClock,
  systemRandom,
} from '@punctual/store'
import type { Command } from 'commander'
import { showGuarantees } from '../output/show-guarantees.ts'
import { wrap } from '../output/wrap.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'
import type { Terminal } from '../runtime/terminal.ts'
import { openDatabase } from '../target/open-database.ts'

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('check the database and show which guarantees hold')
  addFlags(command, ['database'])
  command.action(() => perform(command, runDoctor))
}

async function runDoctor(context: CommandContext) {
  const { config, terminal } = context
  const { url, description } = await openDatabase(context, 'use')
  const ports = { clock: systemClock, random: systemRandom, node: randomUUID() }
  const { preparedStatements: prepared, schema, retentionDays } = config
  const choice = prepared === 'auto' ? {} : { preparedStatements: prepared }
  const { readDatabaseUrl: readUrl, readLagMs } = config
  const standby = readUrl === null ? {} : { readUrl, readLagMs }
  const store = new PostgresStore({ url, schema, ...choice, ...standby, ...ports })
  context.onEnd(() => store.close())
  const { database, replica } = store
  const findings = await examine(database, { retentionDays, replica })
  const guarantees = judgeGuarantees(await readGuaranteeFacts(database, replica))
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length
  const summary = { ok: count('ok'), warn: count('warn'), fail: count('fail') }
  if (context.json) terminal.json({ database: description, ...summary, findings, guarantees })
  else {
    terminal.line(`${description}, schema ${schema}\n`)
    for (const finding of findings) showFinding(terminal, finding)
    terminal.line(`\n${summary.ok} ok, ${summary.warn} to review, ${summary.fail} to fix\n`)
    showGuarantees(terminal, guarantees)
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
