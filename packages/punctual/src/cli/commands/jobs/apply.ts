/** `punctual jobs apply -f <file>`: makes the jobs of a source match a file. */
import type { Command } from 'commander'
import { inputName, readInput } from '../../flags/read-input.ts'
import { type ApplyResult, applyDocument, compareDocument } from '../../jobs-file/apply-jobs.ts'
import { showApplied } from '../../output/show-applied.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

interface Flags {
  file: string
  diff?: true
  prune?: true
}

export function addJobsApply(parent: Command): void {
  const command = parent
    .command('apply')
    .description('make the jobs of a source match a file; deletes jobs only with --prune')
    .requiredOption('-f, --file <path>', 'YAML or JSON file; - reads standard input')
    .option('--diff', 'show what would change and change nothing')
    .option('--prune', 'delete jobs of the same source that the file does not contain')
  addFlags(command, ['database'])
  command.action((flags: Flags) => perform(command, (context) => applyFile(context, flags)))
}

async function applyFile(context: CommandContext, flags: Flags) {
  const { terminal, config, json } = context
  const { diff = false, prune = false } = flags
  const text = readInput('The jobs file', flags.file)
  // YAML is loaded here, so that every other command starts without it.
  const { readJobsFile } = await import('../../jobs-file/jobs-file.ts')
  const documents = readJobsFile(inputName(flags.file), text, config)
  const punctual = await openPunctual(context)
  const results: ApplyResult[] = []
  // All documents are compared, and refused if invalid, before anything changes.
  for (const document of documents)
    results.push(await compareDocument(punctual, document, config, prune))
  if (!diff)
    for (const [i, document] of documents.entries()) {
      const compared = results[i]
      if (compared) results[i] = await applyDocument(punctual, document, compared, prune)
    }
  if (json) terminal.json(results.length === 1 ? results[0] : results)
  else for (const result of results) showApplied(terminal, result, diff)
  return exit.ok
}
