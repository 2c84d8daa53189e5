/** `punctual tenants usage` and `tenants export`: what a tenant has used, and all of its data. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { Punctual } from '../../../punctual.ts'
import type { TenantRange } from '../../../tenants/tenants.ts'
import { parseInstantIn } from '../../flags/instants.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

interface Flags {
  from?: string
  to?: string
  output?: string
}

export function addTenantsUsage(parent: Command): void {
  const command = parent
    .command('usage')
    .description('show the daily usage of a tenant: runs, run time and bytes')
    .argument('<name>', 'name of the tenant')
    .option('--from <time>', 'from the day of this time, such as -30d (default: a week ago)')
    .option('--to <time>', 'to the day of this time (default: now)')
  addFlags(command, ['database'])
  command.action((name: string, flags: Flags) =>
    perform(command, (context) => usage(context, name, flags)),
  )
}

export function addTenantsExport(parent: Command): void {
  const command = parent
    .command('export')
    .description('write the declarations and the runs of a tenant as lines of JSON')
    .argument('<name>', 'name of the tenant')
    .option('--from <time>', 'only runs due at or after this time')
    .option('--to <time>', 'only runs due before this time')
    .option('-o, --output <path>', 'the file to write (default: standard output)')
  addFlags(command, ['database'])
  command.action((name: string, flags: Flags) =>
    perform(command, (context) => exportAll(context, name, flags)),
  )
}

function rangeOf({ from, to }: Flags, punctual: Punctual): TenantRange {
  const nowMs = punctual.store.database.clock.nowMs()
  return {
    ...(from !== undefined && { from: parseInstantIn('--from', from, 'UTC', nowMs) }),
    ...(to !== undefined && { to: parseInstantIn('--to', to, 'UTC', nowMs) }),
  }
}

async function usage(context: CommandContext, name: string, flags: Flags) {
  const { terminal, json } = context
  const punctual = await openPunctual(context)
  const days = await punctual.tenants.usage(name, rangeOf(flags, punctual))
  if (json) terminal.json(days)
  else
    showTable(
      terminal,
      ['DAY', 'RUNS', 'SUCCEEDED', 'OTHERS', 'ATTEMPTS', 'SECONDS', 'PAYLOADS', 'OUTPUTS', 'LOGS'],
      days.map((day) => [
        ...[day.day, day.runs, day.succeeded, day.endedOtherwise, day.attempts],
        day.runSeconds.toFixed(1),
        ...[day.payloadBytes, day.outputBytes, day.logBytes],
      ]),
    )
  return exit.ok
}

/** Writes lines of JSON, with or without `--json`. */
async function exportAll(context: CommandContext, name: string, flags: Flags) {
  const punctual = await openPunctual(context)
  const lines = Readable.from(punctual.tenants.export(name, rangeOf(flags, punctual)))
  if (flags.output === undefined) await pipeline(lines, process.stdout, { end: false })
  else await pipeline(lines, createWriteStream(flags.output, { mode: 0o600 }))
  return exit.ok
}
