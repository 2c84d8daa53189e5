/** `punctual calendars list|set|delete`: named sets of dates and windows that jobs refer to. */
import { PunctualError } from '@punctual/core/errors'
import { type CalendarInput, parseCalendar } from '@punctual/core/schedule'
import type { Command } from 'commander'
import { inputName, readInput } from '../flags/read-input.ts'
import { showTable } from '../output/table.ts'
import { CliError } from '../runtime/cli-error.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'
import { openPunctual } from '../target/open-punctual.ts'

export function addCalendarsList(parent: Command): void {
  const command = parent.command('list').description('list calendars')
  addFlags(command, ['database'])
  command.action(() => perform(command, listCalendars))
}

async function listCalendars(context: CommandContext) {
  const { terminal } = context
  const { jobs } = await openPunctual(context)
  const calendars = await jobs.calendars.list()
  if (context.json) terminal.json(calendars)
  else if (calendars.length === 0) terminal.line('No calendars.')
  else
    showTable(
      terminal,
      ['NAME', 'ZONE', 'EXCLUDES', 'INCLUDES', 'WINDOWS'],
      calendars.map(({ name, calendar: { timezone, exclude, include, windows } }) => [
        name,
        timezone ?? 'of the job',
        dates(exclude),
        dates(include),
        windows?.map(({ days = '*', from, to }) => `${days} ${from}-${to}`).join(', ') ?? '-',
      ]),
      ['INCLUDES', 'ZONE'],
    )
  return exit.ok
}

const DATES_SHOWN = 3

function dates(list: readonly string[] | undefined): string {
  if (!list || list.length === 0) return '-'
  const more = list.length > DATES_SHOWN ? ` and ${list.length - DATES_SHOWN} more` : ''
  return list.slice(0, DATES_SHOWN).join(', ') + more
}

export function addCalendarsSet(parent: Command): void {
  const command = parent
    .command('set')
    .description('create or replace a calendar')
    .argument('<name>', 'the name by which jobs refer to it')
    .requiredOption('-f, --file <path>', 'YAML or JSON file; - reads standard input')
  addFlags(command, ['database'])
  command.action((name: string, flags: { file: string }) =>
    perform(command, (context) => setCalendar(context, name, flags.file)),
  )
}

async function setCalendar(context: CommandContext, name: string, path: string) {
  const { terminal } = context
  const { FilePlaces } = await import('../jobs-file/file-places.ts')
  const file = new FilePlaces(inputName(path), readInput('The calendar', path))
  const [root, ...others] = file.roots
  if (!root || others.length > 0)
    throw new CliError('file_invalid', `${inputName(path)} must contain one calendar.`, {
      hint: 'A calendar is { timezone, exclude: [dates], include: [dates], windows: [{ days, from, to }] }.',
    })
  file.locating(root.path, `calendar ${JSON.stringify(name)}`, () => parseCalendar(root.value))
  const { jobs } = await openPunctual(context)
  await jobs.calendars.set(name, root.value as CalendarInput)
  if (context.json) terminal.json({ name, calendar: root.value })
  else terminal.line(`Set the calendar ${name}. Slots that are already planned do not change.`)
  return exit.ok
}

export function addCalendarsDelete(parent: Command): void {
  const command = parent
    .command('delete')
    .description('delete a calendar that no job refers to')
    .argument('<name>', 'name of the calendar')
  addFlags(command, ['database'])
  command.action((name: string) => perform(command, (context) => deleteCalendar(context, name)))
}

async function deleteCalendar(context: CommandContext, name: string) {
  const { jobs } = await openPunctual(context)
  if (!(await jobs.calendars.delete(name)))
    throw new PunctualError(
      'calendar_not_found',
      `The calendar ${JSON.stringify(name)} does not exist. \`punctual calendars list\` lists calendars.`,
      { id: name },
    )
  if (context.json) context.terminal.json({ name, result: 'deleted' })
  else context.terminal.line(`Deleted the calendar ${name}.`)
  return exit.ok
}
