/** The flags of a command that come from the table of settings. */
import { type Command, Option } from 'commander'
import {
  type Setting,
  type SettingGroup,
  type SettingName,
  settingNames,
  settings,
} from '../../config/settings.ts'

/** Adds the flags of these groups of settings, and the flags that every command has. */
export function addFlags(command: Command, groups: readonly SettingGroup[]): Command {
  for (const name of settingNames) {
    const setting = settings[name] as Setting<unknown>
    // Commands that need the database accept --server too, hidden, to refuse it with a clear error.
    const refused = setting.group === 'server' && !groups.includes('server')
    if (!groups.includes(refused ? 'database' : setting.group)) continue
    for (const option of optionsFor(setting)) command.addOption(option.hideHelp(refused))
  }
  return command
    .option('--config <path>', 'read settings from this file (default: punctual.config.json)')
    .option('--json', 'print JSON')
}

function optionsFor(setting: Setting<unknown>): Option[] {
  const { flag, kind, help, env } = setting
  const description = `${help} [${env}]${describeDefault(setting)}`
  if (kind.placeholder !== null) return [new Option(`${flag} <${kind.placeholder}>`, description)]
  const negation = new Option(flag.replace('--', '--no-'), `turn off ${flag}`)
  return [new Option(flag, description), negation.hideHelp(setting.default === false)]
}

function describeDefault({ default: value, defaultShown }: Setting<unknown>): string {
  if (defaultShown !== undefined) return ` (default: ${defaultShown.replaceAll('`', '')})`
  return value === false ? '' : ` (default: ${String(value)})`
}

export interface GivenFlags {
  readonly flags: Partial<Record<SettingName, string | boolean>>
  readonly configPath: string | undefined
  readonly json: boolean
}

/** Flags written on the command line; commander's own defaults do not count. */
export function flagsOf(command: Command): GivenFlags {
  const given = command.optsWithGlobals()
  const flags: Partial<Record<SettingName, string | boolean>> = {}
  for (const name of settingNames)
    if (command.getOptionValueSource(name) === 'cli') flags[name] = given[name]
  return { flags, configPath: given.config, json: given.json === true }
}
