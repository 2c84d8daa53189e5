/** `punctual jobs export`: prints registered jobs as a file; applying the file changes nothing. */
import type { JobDefaults } from '@punctual/core/job'
import type { StoredJob } from '@punctual/store'
import type { Command } from 'commander'
import { type Declaration, declareStored } from '../../../jobs/declaration.ts'
import type { Punctual } from '../../../punctual.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

const PAGE = 1_000

export function addJobsExport(parent: Command): void {
  const command = parent
    .command('export')
    .description('print the registered jobs, in YAML or JSON, as a file for `jobs apply`')
    .option('--source <name>', 'only jobs of this source')
  addFlags(command, ['database'])
  command.action((flags: { source?: string }) =>
    perform(command, (context) => exportJobs(context, flags.source)),
  )
}

async function exportJobs(context: CommandContext, source: string | undefined) {
  const { terminal, config, json } = context
  const punctual = await openPunctual(context)
  const jobs = await allJobs(punctual, source)
  const documents = await documentsOf(punctual, jobs, config)
  if (documents.length === 0) documents.push({ ...(source !== undefined && { source }), jobs: [] })
  if (json) {
    terminal.json(documents.length === 1 ? documents[0] : documents)
    return exit.ok
  }
  const { stringify } = await import('yaml')
  // Long strings stay on one line, so that a diff of two exports shows changed jobs only.
  const options = { lineWidth: 0, aliasDuplicateObjects: false }
  const texts = documents.map((document) => stringify(document, options))
  terminal.line(texts.join('---\n').trimEnd())
  return exit.ok
}

async function allJobs({ jobs }: Punctual, source: string | undefined): Promise<StoredJob[]> {
  const all: StoredJob[] = []
  for (let after = ''; ; after = all.at(-1)?.name ?? '') {
    const page = await jobs.list({ after, limit: PAGE, ...(source !== undefined && { source }) })
    all.push(...(page as readonly StoredJob[]))
    if (page.length < PAGE) return all
  }
}

/** One document per source, with the calendars that its jobs refer to. */
async function documentsOf(
  { jobs: { calendars } }: Punctual,
  jobs: readonly StoredJob[],
  installation: JobDefaults,
): Promise<Declaration[]> {
  const specs = new Map((await calendars.list()).map((entry) => [entry.name, entry.calendar]))
  return [...new Set(jobs.map(({ source }) => source))].map((source) => {
    const own = jobs.filter((job) => job.source === source)
    const used = [...new Set(own.flatMap(({ rules }) => rules.calendars ?? []))]
    const named = used.filter((name) => specs.has(name)).map((name) => [name, specs.get(name)])
    return {
      ...(source !== null && { source }),
      ...(named.length > 0 && { calendars: Object.fromEntries(named) }),
      jobs: own.map((job) => declareStored(job, installation)),
    }
  })
}
