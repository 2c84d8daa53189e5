/**
 * `punctual import crontab <file>`: creates jobs from a crontab and reports the result for each
 * line.
 */
import { PunctualError } from '@punctual/core/errors'
import type { JobOptions } from '@punctual/core/job'
import { zoneOf } from '@punctual/core/schedule'
import type { Command } from 'commander'
import { nameEntries } from '../../crontab/name-entries.ts'
import { type CrontabEntry, type CrontabLine, readCrontab } from '../../crontab/read-crontab.ts'
import { shellTargetOf, unlimited } from '../../crontab/shell-target-of.ts'
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
  handler?: string
  tz?: string
  source: string
  prefix?: string
  apply?: true
  prune?: true
}

export function addImportCrontab(parent: Command): void {
  const command = parent
    .command('crontab')
    .description('create jobs from a crontab; without --apply, print a file for `jobs apply`')
    .argument(
      '<file>',
      'the crontab; - reads standard input: crontab -l | punctual import crontab -',
    )
    .option('--user-column', 'lines name a user before the command, as in /etc/crontab')
    .option('--handler <name>', 'a handler that runs the commands (default: a shell target)')
    .option('--tz <zone>', 'time zone when the crontab names none (default: the setting timezone)')
    .option('--source <name>', 'source of the jobs', 'crontab')
    .option('--prefix <text>', 'prefix of the job names')
    .option('--apply', 'create the jobs')
    .option(
      '--prune',
      'with --apply: delete jobs of this source that the crontab no longer contains',
    )
  addFlags(command, ['database'])
  command.action((path: string, flags: Flags) =>
    perform(command, (context) => importCrontab(context, path, flags)),
  )
}

/** A line of the crontab, with the name of the job created from it. */
type ImportedLine = CrontabLine & { readonly job?: string }

async function importCrontab(context: CommandContext, path: string, flags: Flags) {
  const { terminal, config, json } = context
  if (flags.prune && !flags.apply)
    throw new PunctualError('invalid_option', '--prune needs --apply.', { field: '--prune' })
  const timezone = zoneOf(flags.tz ?? config.timezone).name
  const text = readInput('The crontab', path)
  const lines = readCrontab(text, { userColumn: flags.userColumn === true, timezone })
  const { jobs, imported } = jobsOf(lines, flags)
  if (flags.handler === undefined && jobs.length > 0 && !json)
    terminal.note('The runs wait for a node whose --targets names shell.')
  const file = { source: flags.source, jobs }
  // The same checks as for any other file of jobs.
  const { readJobsFile } = await import('../../jobs-file/jobs-file.ts')
  const [document] = readJobsFile(inputName(path), JSON.stringify(file), config)
  const wrong = lines.some((line) => line.kind === 'refused' && line.wrong)
  const code = wrong ? exit.failure : exit.ok
  if (!flags.apply) {
    if (json) terminal.json({ file, lines: imported })
    else {
      showLines(terminal, imported)
      terminal.line((await yamlOf(file, imported)).trimEnd())
    }
    return code
  }
  if (!document) return code
  const punctual = await openPunctual(context)
  const prune = flags.prune === true
  const compared = await compareDocument(punctual, document, config, prune)
  const result = await applyDocument(punctual, document, compared, prune)
  if (json) terminal.json({ result, lines: imported })
  else {
    showLines(terminal, imported)
    showApplied(terminal, result, false)
  }
  return code
}

function jobsOf(lines: readonly CrontabLine[], { handler, prefix = '' }: Flags) {
  const entries = lines.flatMap((line) => (line.kind === 'job' ? [line.entry] : []))
  const names = nameEntries(entries, prefix)
  const jobs = entries.map((entry, i) => jobOf(entry, names[i] as string, handler))
  let used = 0
  const imported = lines.map((line): ImportedLine => {
    const name = line.kind === 'job' ? names[used++] : undefined
    return name === undefined ? line : { ...line, job: name }
  })
  return { jobs, imported }
}

/**
 * Keeps cron's behaviour: a run starts even if the previous one is running, and missed runs are not
 * caught up.
 */
function jobOf(entry: CrontabEntry, name: string, handler: string | undefined): JobOptions {
  const { cron, timezone, jitterMs, command, env, user, stdin } = entry
  const jitter = jitterMs ? { jitterMs } : {}
  const asCron = { misfire: 'none', overlap: 'allow' } as const
  const common = { name, cron, timezone, ...jitter, ...asCron }
  if (handler === undefined) return { ...common, ...unlimited, target: shellTargetOf(entry) }
  const payload = { command, env, ...(user && { user }), ...(stdin !== null && { stdin }) }
  return { ...common, handler, payload }
}

/** Prints to stderr, so that stdout can be redirected to a file. */
function showLines({ note }: Terminal, lines: readonly ImportedLine[]): void {
  for (const line of lines) {
    note(`line ${line.line}: ${lineText(line)}`)
    for (const text of line.notes) note(`  note: ${text}`)
  }
  const refused = lines.filter(({ kind }) => kind === 'refused').length
  const jobs = lines.filter(({ kind }) => kind === 'job').length
  if (jobs > 0)
    note(
      'As in cron, runs of a job may overlap (overlap: allow) and missed runs are not caught up (misfire: none).',
    )
  note(
    `${jobs} ${jobs === 1 ? 'job' : 'jobs'}; ${refused} ${refused === 1 ? 'line' : 'lines'} not imported`,
  )
}

function lineText(line: ImportedLine): string {
  switch (line.kind) {
    case 'job':
      return `${line.job}: ${line.entry.cron} (${line.entry.timezone}) ${line.entry.command}`
    case 'variable':
      return `${line.name}=${line.value}`
    case 'refused':
      return `not imported: ${line.text}\n  ${line.why.replaceAll('\n', '\n  ')}`
  }
}

/** The file as YAML, with the crontab line as a comment above each job. */
async function yamlOf(file: { jobs: readonly JobOptions[] }, lines: readonly ImportedLine[]) {
  const { Document } = await import('yaml')
  const document = new Document(file)
  const jobs = document.get('jobs') as { items: { commentBefore?: string | null }[] }
  const jobLines = lines.filter(({ kind }) => kind === 'job')
  for (const [i, { line, text }] of jobLines.entries()) {
    const item = jobs.items[i]
    if (item) item.commentBefore = ` line ${line}: ${text.replace(/[^\P{C}\t]/gu, '?')}`
  }
  return document.toString({ lineWidth: 0 })
}
