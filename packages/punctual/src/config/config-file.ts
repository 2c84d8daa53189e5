/**
 * The configuration file: one flat JSON object whose names are those of the settings. Unknown names
 * are refused.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { PunctualError } from '@punctual/core/errors'
import { type SettingName, settingNames } from './settings.ts'

const defaultFileName = 'punctual.config.json'

export interface ConfigFile {
  /** The path as the user gave it, for messages. */
  readonly path: string
  readonly entries: Readonly<Partial<Record<SettingName, unknown>>>
}

function refuse(path: string, why: string, cause?: unknown): never {
  throw new PunctualError('invalid_config', `The configuration file ${path} ${why}`, {
    field: path,
    cause,
  })
}

/**
 * The file named by the user, or the one in the current directory; null when that does not exist.
 */
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
    refuse(path, 'must contain one JSON object.')
  for (const name of Object.keys(value))
    if (!settingNames.includes(name as SettingName))
      refuse(
        path,
        `contains ${JSON.stringify(name.slice(0, 80))}, which is not a setting. Known: ${settingNames.join(', ')}.`,
      )
  return value
}
