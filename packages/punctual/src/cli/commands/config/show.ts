/** `punctual config show`: every setting in effect and its source. Passwords are hidden. */
import type { Command } from 'commander'
import { type Setting, type SettingName, settingNames, settings } from '../../../config/settings.ts'
import { showSecret } from '../../../config/show-secret.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'

export function addConfigShow(parent: Command): void {
  const command = parent
    .command('show')
    .description('show every setting in effect and where its value comes from')
  addFlags(command, ['database', 'server', 'node', 'http'])
  command.action(() => perform(command, showConfig))
}

async function showConfig({ terminal, resolved, json }: CommandContext) {
  const rows = settingNames.map((name) => ({
    name,
    value: shown(name, resolved.config[name]),
    ...resolved.sources[name],
  }))
  if (json) {
    const entries = rows.map(({ name, ...rest }) => [name, rest])
    terminal.json({ file: resolved.file, settings: Object.fromEntries(entries) })
    return exit.ok
  }
  showTable(
    terminal,
    ['SETTING', 'VALUE', 'SOURCE'],
    rows.map(({ name, value, origin, from }) => [
      name,
      origin === 'default' ? defaultText(name, value) : text(value),
      origin === 'default' ? terminal.colors.dim('default') : `${origin} ${from}`,
    ]),
  )
  if (resolved.file === null) terminal.note('No configuration file was found.')
  return exit.ok
}

function shown(name: SettingName, value: unknown): unknown {
  const { secret } = settings[name] as Setting<unknown>
  return secret && typeof value === 'string' ? showSecret(secret, value) : value
}

function defaultText(name: SettingName, value: unknown): string {
  const { defaultShown } = settings[name] as Setting<unknown>
  return defaultShown?.replaceAll('`', '') ?? text(value)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
