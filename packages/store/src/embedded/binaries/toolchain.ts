/** Builds the commands that run PostgreSQL's programs for one data directory. */
import { join } from 'node:path'
import type { Launcher } from './launcher.ts'
import type { Command } from './run-command.ts'

export type Program = 'initdb' | 'pg_ctl' | 'postgres'

export class Toolchain {
  readonly native: string
  readonly launcher: Launcher
  readonly #cwd: string
  readonly #env: NodeJS.ProcessEnv

  constructor(native: string, launcher: Launcher, cwd: string, libraries: NodeJS.ProcessEnv) {
    this.native = native
    this.launcher = launcher
    // The current directory of this process may be closed to a service user.
    this.#cwd = cwd
    this.#env = { ...inheritedEnvironment(), ...libraries, TZ: 'UTC', LC_ALL: 'C' }
  }

  command(program: Program, args: readonly string[]): Command {
    return this.wrap(join(this.native, 'bin', program), args)
  }

  /** Runs any other program as PostgreSQL would be run, to find out what PostgreSQL could do. */
  wrap(program: string, args: readonly string[]): Command {
    const [file = program, ...rest] = [...this.launcher.prefix, program, ...args]
    return { file, args: rest, cwd: this.#cwd, env: this.#env, ...this.launcher.identity }
  }
}

/**
 * Passes only the variables that finding and loading programs requires: PostgreSQL reads settings
 * from variables such as PGPORT and PGDATA, which are meant for other servers.
 */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const names = process.platform === 'win32' ? ['PATH', 'SystemRoot', 'TEMP', 'TMP'] : ['PATH']
  const present = names.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(present) }
}
