/** `punctual next "<expression>"`: when a schedule fires; needs no database. */
import { dayRules, foldPolicies, gapPolicies, zoneOf } from '@punctual/core/schedule'
import { type Command, Option } from 'commander'
import { nextFires, previewFires } from '../../jobs/fires.ts'
import { parseCount } from '../flags/counts.ts'
import { parseInstantIn, zoneIn } from '../flags/instants.ts'
import { showFires } from '../output/job-fires.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'

const COUNT_MAX = 10_000

interface Flags {
  tz?: string
  from?: string
  count?: string
  dstGap?: (typeof gapPolicies)[number]
  dstFold?: (typeof foldPolicies)[number]
  dayRule?: (typeof dayRules)[number]
  seed?: string
  aroundDst?: true
}

export function addNext(program: Command): void {
  const choice = (flags: string, help: string, choices: readonly string[]) =>
    new Option(flags, `${help} (default: ${choices[0]})`).choices(choices)
  const command = program
    .command('next')
    .description('show when a schedule fires next; needs no database')
    .argument('<expression>', "cron ('0 2 * * *', '@daily'), 5m, PT1H, or a repeating interval")
    .option('--tz <zone>', 'time zone, such as Europe/Berlin (default: the setting timezone)')
    .option('--from <time>', 'fires after this time (default: now)')
    .option('--count <n>', `number of fires, up to ${COUNT_MAX} (default: 5)`)
    .addOption(
      choice(
        '--dst-gap <policy>',
        'local times that do not exist when clocks go forward',
        gapPolicies,
      ),
    )
    .addOption(
      choice(
        '--dst-fold <policy>',
        'local times that occur twice when clocks go back',
        foldPolicies,
      ),
    )
    .addOption(choice('--day-rule <rule>', 'how day of month and weekday combine', dayRules))
    .option('--seed <text>', 'the value that H is derived from: the id of the job')
    .option('--around-dst', 'also show the fires around the next two clock changes')
  addFlags(command, [])
  command.action((expression: string, flags: Flags) =>
    perform(command, (context) => showNextFires(context, expression, flags)),
  )
}

async function showNextFires(context: CommandContext, expression: string, flags: Flags) {
  const tz = zoneOf(flags.tz ?? context.config.timezone).name
  const options = {
    tz,
    from: parseInstantIn('--from', flags.from ?? 'now', tz, Date.now()),
    count: parseCount('--count', flags.count ?? '5', COUNT_MAX),
    ...{ gap: flags.dstGap, fold: flags.dstFold, dayRule: flags.dayRule, seed: flags.seed },
  }
  if (context.json) {
    context.terminal.json(nextFires(expression, options))
    return exit.ok
  }
  const fires = previewFires(expression, { ...options, aroundChanges: flags.aroundDst === true })
  showFires(context.terminal, fires, zoneIn(expression) ?? tz)
  return exit.ok
}
