/**
 * `punctual verify`: proves that every slot of a range has one decision. Exit 1 when a finding
 * exists.
 */
import { auditKinds } from '@punctual/core/job'
import type { Command } from 'commander'
import type { Verification, VerifyFinding, VerifyProgress } from '../../verify.ts'
import { showDuration } from '../flags/durations.ts'
import { parseInstantIn } from '../flags/instants.ts'
import { createProgressLine } from '../output/progress-line.ts'
import { showTable } from '../output/table.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'
import type { Terminal } from '../runtime/terminal.ts'
import { openPunctual } from '../target/open-punctual.ts'

const SHOWN_MAX = 20

interface Flags {
  from?: string
  to?: string
  job?: string
}

export function addVerify(program: Command): void {
  const command = program
    .command('verify')
    .description(
      'prove that every slot in a range has exactly one decision, and every run one place',
    )
    .option('--from <time>', 'slots at or after this time (default: a day before --to)')
    .option('--to <time>', 'slots up to this time (default: now)')
    .option('--job <job>', 'only this job, by name or id (default: all)')
  addFlags(command, ['database'])
  command.action((flags: Flags) => perform(command, (context) => runVerify(context, flags)))
}

async function runVerify(context: CommandContext, flags: Flags) {
  const { terminal, config, json } = context
  const punctual = await openPunctual(context)
  const nowMs = punctual.store.database.clock.nowMs()
  const instant = (flag: string, text: string) => parseInstantIn(flag, text, config.timezone, nowMs)
  const progress = createProgressLine()
  const result = await punctual.verify({
    ...(flags.from !== undefined && { from: instant('--from', flags.from) }),
    ...(flags.to !== undefined && { to: instant('--to', flags.to) }),
    ...(flags.job !== undefined && { job: flags.job }),
    ...(progress && { onProgress: (state) => progress.show(progressText(state)) }),
  })
  progress?.clear()
  if (json) terminal.json(result)
  else showVerification(terminal, result)
  return result.clean ? exit.ok : exit.failure
}

function progressText({ jobs, slots, rows }: VerifyProgress): string {
  const number = new Intl.NumberFormat('en')
  const checked = [`${number.format(jobs)} jobs`, `${number.format(slots)} slots`]
  return `Checked ${checked.join(', ')}, ${number.format(rows)} rows of the ledger`
}

function showVerification(terminal: Terminal, result: Verification): void {
  const { colors, line } = terminal
  const wrong = (count: number) => (count > 0 ? colors.red(String(count)) : '0')
  const { lateness: late, skips } = result
  const skipped = Object.entries(skips).map(([reason, slots]) => `${slots} ${reason}`)
  line(`${result.from.toISOString()} to ${result.to.toISOString()}\n`)
  showTable(
    terminal,
    ['CHECK', 'COUNT'],
    [
      ['jobs', result.jobs],
      ['slots expected', result.slots],
      ['slots not decided yet', result.pending],
      ['runs', result.runs],
      ['skipped slots', skipped.join(', ') || '0'],
      ['holes', wrong(result.holes)],
      ['doubles', wrong(result.doubles)],
      ['strays', wrong(result.strays)],
      ['runs in no place', wrong(result.lost)],
      ['wrong cursors', wrong(result.cursors)],
      ['jobs not planned', wrong(result.setAside)],
      ['lateness p50', late ? showDuration(late.p50Ms) : '-'],
      ['lateness p99', late ? showDuration(late.p99Ms) : '-'],
      ['lateness max', late ? showDuration(late.maxMs) : '-'],
    ],
  )
  line()
  if (result.clean)
    line(
      colors.green('Every slot has exactly one decision, and every run is in exactly one place.'),
    )
  else showFindings(terminal, result.findings)
}

function showFindings(terminal: Terminal, findings: readonly VerifyFinding[]): void {
  showTable(
    terminal,
    ['FOUND', 'JOB', 'SLOT', 'RUN', 'MEANING'],
    findings
      .slice(0, SHOWN_MAX)
      .map(({ kind, job, at, runId }) => [
        terminal.colors.red(kind),
        job,
        at?.toISOString() ?? '-',
        runId ?? '-',
        auditKinds[kind],
      ]),
    ['RUN', 'MEANING'],
  )
  if (findings.length > SHOWN_MAX)
    terminal.line(`… and more; \`--json\` prints the first hundred of each kind.`)
}
