/** `punctual import crontab <file>`: makes jobs of the lines of a crontab, and tells what it made of each. */
import { PunctualError } from '@punctual/core/errors'
import type { JobOptions } from '@punctual/core/job'
import { zoneOf } from '@punctual/core/schedule'
import type { Command } from 'commander'
import { nameEntries } from '../../crontab/name-entries.ts'
import { type CrontabEntry, type CrontabLine, readCrontab } from '../../crontab/read-crontab.ts'
import { inputName, readInput } from '../../flags/read-input.ts'
import { applyDocument, compareDocument } from '../../jobs-file/apply-jobs.ts'
import { showApplied } from '../../output/show-applied.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { openPunctual } from '../../target/open-punctual.ts'

interface Flags {
  userColumn?: true
  handler: string
  tz?: string
  source: string
  prefix?: string
  apply?: true
  prune?: true
}

export function addImportCrontab(parent: Command): void {
  const command = parent
    .command('crontab')
    .description(
      'make jobs of the lines of a crontab; without --apply print the file for `jobs apply`',
    )
    .argument('<file>', 'the crontab; - reads the input: crontab -l | punctual import crontab -')
    .option('--user-column', 'lines name a user before the command, as in /etc/crontab')
    .option('--handler <name>', 'what runs the commands', 'shell')
    .option(
      '--tz <zone>',
      'the time zone where the crontab names none (default: the setting timezone)',
    )
    .option('--source <name>', 'the source of the jobs', 'crontab')
    .option('--prefix <text>', 'put before the name of each job')
    .option('--apply', 'register the jobs')
    .option('--prune', 'with --apply: remove jobs of this source that the crontab no longer has')
  addFlags(command, ['database'])
  command.action((path: string, flags: Flags) =>
    perform(command, (context) => importCrontab(context, path, flags)),
  )
}

/** A line with the job that was made of it. */
type ImportedLine = CrontabLine & { readonly job?: string }

async function importCrontab(context: CommandContext, path: string, flags: Flags) {
  const { terminal, config, json } = context
  if (flags.prune && !flags.apply)
    throw new PunctualError('invalid_option', '--prune needs --apply.', { field: '--prune' })
  const timezone = zoneOf(flags.tz ?? config.timezone).name
  const text = readInput('The crontab', path)
  const lines = readCrontab(text, { userColumn: flags.userColumn === true, timezone })
  const { jobs, told } = jobsOf(lines, flags)
  const file = { source: flags.source, jobs }
  // The same checks as those of any other file of jobs.
  const { readJobsFile } = await import('../../jobs-file/jobs-file.ts')
  const [document] = readJobsFile(inputName(path), JSON.stringify(file), config)
  const wrong = lines.some((line) => line.kind === 'refused' && line.wrong)
  const code = wrong ? exit.failure : exit.ok
  if (!flags.apply) {
    if (json) terminal.json({ file, lines: told })
    else {
      showLines(terminal, told)
      terminal.line((await yamlOf(file, told)).trimEnd())
    }
    return code
  }
  if (!document) return code
  const punctual = await openPunctual(context)
  const prune = flags.prune === true
  const compared = await compareDocument(punctual, document, config, prune)
  const result = await applyDocument(punctual, document, compared, prune)
  if (json) terminal.json({ result, lines: told })
  else {
    showLines(terminal, told)
    showApplied(terminal, result, false)
  }
  return code
}

function jobsOf(lines: readonly CrontabLine[], { handler, prefix = '' }: Flags) {
  const entries = lines.flatMap((line) => (line.kind === 'job' ? [line.entry] : []))
  const names = nameEntries(entries, prefix)
  const jobs = entries.map((entry, i) => jobOf(entry, names[i] as string, handler))
  let made = 0
  const told = lines.map((line): ImportedLine => {
    const name = line.kind === 'job' ? names[made++] : undefined
    return name === undefined ? line : { ...line, job: name }
  })
  return { jobs, told }
}

/** As cron has it: a run starts although the one before goes on, and missed ones are not made up for. */
function jobOf(entry: CrontabEntry, name: string, handler: string): JobOptions {
  const { cron, timezone, jitterMs, command, env, user, stdin } = entry
  const payload = { command, env, ...(user && { user }), ...(stdin !== null && { stdin }) }
  const jitter = jitterMs ? { jitterMs } : {}
  const asCron = { misfire: 'none', overlap: 'allow' } as const
  return { name, handler, payload, cron, timezone, ...jitter, ...asCron }
}

/** On the standard error, so that the file can be redirected. */
function showLines({ note }: Terminal, lines: readonly ImportedLine[]): void {
  for (const line of lines) {
    note(`line ${line.line}: ${lineText(line)}`)
    for (const text of line.notes) note(`  note: ${text}`)
  }
  const refused = lines.filter(({ kind }) => kind === 'refused').length
  const jobs = lines.filter(({ kind }) => kind === 'job').length
  if (jobs > 0)
    note(
      'As cron has it, runs of a job may overlap and missed ones are not made up for: overlap, misfire.',
    )
  note(
    `${jobs} ${jobs === 1 ? 'job' : 'jobs'}; ${refused} ${refused === 1 ? 'line' : 'lines'} not taken`,
  )
}

function lineText(line: ImportedLine): string {
  switch (line.kind) {
    case 'job':
      return `${line.job}: ${line.entry.cron} (${line.entry.timezone}) ${line.entry.command}`
    case 'variable':
      return `${line.name}=${line.value}`
    case 'refused':
      return `not taken: ${line.text}\n  ${line.why.replaceAll('\n', '\n  ')}`
  }
}

/** Each job below the line that it was made of. */
async function yamlOf(file: { jobs: readonly JobOptions[] }, lines: readonly ImportedLine[]) {
  const { Document } = await import('yaml')
  const document = new Document(file)
  const jobs = document.get('jobs') as { items: { commentBefore?: string | null }[] }
  const made = lines.filter(({ kind }) => kind === 'job')
  for (const [i, { line, text }] of made.entries()) {
    const item = jobs.items[i]
    if (item) item.commentBefore = ` line ${line}: ${text.replace(/[^\P{C}\t]/gu, '?')}`
  }
  return document.toString({ lineWidth: 0 })
}
