/** One setting of a node, as a row of data. */
import type { Kind } from './kinds.ts'
import type { SecretKind } from './show-secret.ts'

/**
 * Which commands accept the flag: `database` all that use the database, `node` those that run a
 * node, `http` the one with the HTTP API, `server` those that can also work over HTTP.
 */
export type SettingGroup = 'database' | 'node' | 'http' | 'server'

export interface Setting<T> {
  readonly group: SettingGroup
  readonly flag: string
  readonly env: string
  readonly kind: Kind<T>
  readonly default: T
  readonly help: string
  /** Shown in the reference when the default is not a plain value: "depends on …". */
  readonly defaultShown?: string
  /** The value holds a password or is a key: it is never shown in full. */
  readonly secret?: SecretKind
}

export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}
