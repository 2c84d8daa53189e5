/**
 * Decides each setting's value: flags override the environment, which overrides the file and the
 * defaults.
 */
import { PunctualError } from '@punctual/core/errors'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { type Config, type Setting, type SettingName, settingNames, settings } from './settings.ts'
import { showSecret } from './show-secret.ts'

export type Origin = 'flag' | 'environment' | 'file' | 'default'

export interface Source {
  readonly origin: Origin
  /** The name of the flag, variable or file entry; null for a default. */
  readonly from: string | null
}

export interface ResolvedConfig {
  readonly config: Config
  readonly sources: Readonly<Record<SettingName, Source>>
  /** The path of the file that was read; null when there is none. */
  readonly file: string | null
}

export interface ConfigInputs {
  /** Values from the command line: strings, or booleans for switches. */
  readonly flags: Readonly<Partial<Record<SettingName, string | boolean>>>
  /** The path given with `--config`. */
  readonly configPath?: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

function refuse(setting: Setting<unknown>, where: string, received: unknown): never {
  const text =
    typeof received === 'string' ? received : (JSON.stringify(received) ?? String(received))
  const shown = setting.secret
    ? showSecret(setting.secret, text)
    : JSON.stringify(text.slice(0, 80))
  throw new PunctualError(
    'invalid_config',
    `${where} must be ${setting.kind.expected}; got ${shown}.`,
    { field: where },
  )
}

export function resolveConfig({ flags, configPath, env, cwd }: ConfigInputs): ResolvedConfig {
  const file = readConfigFile(configPath ?? (env.PUNCTUAL_CONFIG || undefined), cwd)
  const config: Partial<Record<SettingName, unknown>> = {}
  const sources: Partial<Record<SettingName, Source>> = {}
  for (const name of settingNames) {
    const { value, source } = resolveOne(name, flags[name], env, file)
    config[name] = value
    sources[name] = source
  }
  return {
    config: config as Config,
    sources: sources as Record<SettingName, Source>,
    file: file?.path ?? null,
  }
}

function resolveOne(
  name: SettingName,
  flag: string | boolean | undefined,
  env: NodeJS.ProcessEnv,
  file: ConfigFile | null,
): { value: unknown; source: Source } {
  const setting = settings[name] as Setting<unknown>
  const { kind } = setting
  if (flag !== undefined) {
    const value = typeof flag === 'boolean' ? flag : kind.fromText(flag)
    if (value === undefined) refuse(setting, setting.flag, flag)
    return { value, source: { origin: 'flag', from: setting.flag } }
  }
  // An empty variable counts as not set: compose files and CI define such variables.
  const variable = env[setting.env]
  if (variable !== undefined && variable !== '') {
    const value = kind.fromText(variable)
    if (value === undefined) refuse(setting, setting.env, variable)
    return { value, source: { origin: 'environment', from: setting.env } }
  }
  const entry = file?.entries[name]
  if (file && entry !== undefined) {
    const where = `"${name}" in ${file.path}`
    const value = kind.fromJson(entry)
    if (value === undefined) refuse(setting, where, entry)
    return { value, source: { origin: 'file', from: where } }
  }
  return { value: setting.default, source: { origin: 'default', from: null } }
}
