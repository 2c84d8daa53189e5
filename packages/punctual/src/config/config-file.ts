/** The configuration file: one flat JSON object with the names of the settings. Unknown names are refused. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { PunctualError } from '@punctual/core/errors'
import { type SettingName, settingNames } from './settings.ts'

const defaultFileName = 'punctual.config.json'

export interface ConfigFile {
  /** As it was given, for messages. */
  readonly path: string
  readonly entries: Readonly<Partial<Record<SettingName, unknown>>>
}

function refuse(path: string, why: string, cause?: unknown): never {
  throw new PunctualError('invalid_config', `The configuration file ${path} ${why}`, {
    field: path,
    cause,
  })
}

/** The file that was named, or the one in the current directory; null when there is none. */
export function readConfigFile(named: string | undefined, cwd: string): ConfigFile | null {
  const path = named ?? defaultFileName
  let text: string
  try {
    text = readFileSync(resolve(cwd, path), 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' && named === undefined) return null
    refuse(path, code === 'ENOENT' ? 'does not exist.' : `cannot be read: ${message}`, cause)
  }
  return { path, entries: parse(path, text) }
}

function parse(path: string, text: string): ConfigFile['entries'] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    refuse(path, `is not JSON: ${(cause as Error).message}`, cause)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(path, 'must hold one JSON object.')
  for (const name of Object.keys(value))
    if (!settingNames.includes(name as SettingName))
      refuse(
        path,
        `has the entry ${JSON.stringify(name.slice(0, 80))}, which is not a setting. Known: ${settingNames.join(', ')}.`,
      )
  return value
}
