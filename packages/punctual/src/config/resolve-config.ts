/** Flags over environment over file over defaults: the one place where the values in effect are decided. */
import { PunctualError } from '@punctual/core/errors'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { type Config, type Setting, type SettingName, settingNames, settings } from './settings.ts'
import { showSecret } from './show-secret.ts'

export type Origin = 'flag' | 'environment' | 'file' | 'default'

export interface Source {
  readonly origin: Origin
  /** The flag, the variable or the entry of the file; null for a default. */
  readonly from: string | null
}

export interface ResolvedConfig {
  readonly config: Config
  readonly sources: Readonly<Record<SettingName, Source>>
  /** The file that was read. */
  readonly file: string | null
}

export interface ConfigInputs {
  /** As the command line gave them: texts, or booleans for switches. */
  readonly flags: Readonly<Partial<Record<SettingName, string | boolean>>>
  /** The file that `--config` names. */
  readonly configPath?: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

function refuse(setting: Setting<unknown>, where: string, came: unknown): never {
  const text = typeof came === 'string' ? came : (JSON.stringify(came) ?? String(came))
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
  // A variable that is set to nothing is one that is not set: compose files and CI write those.
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
