import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian keeps the PostgreSQL server programs here, one folder per major version. */
const POSTGRESQL_ROOT = '/usr/lib/postgresql'

/**
 * Returns the path of a program, or undefined when it is not installed.
 *
 * The PATH of an ordinary user lacks the folders where distributions put servers, so these are
 * searched after it. If several PostgreSQL versions are installed, the newest one is used.
 */
export function findProgram(name: string, directories = searchDirectories()): string | undefined {
  return directories.map((directory) => join(directory, name)).find(isExecutable)
}

function searchDirectories(): string[] {
  const path = (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '')
  return [...path, '/usr/local/sbin', '/usr/sbin', '/sbin', ...postgresqlDirectories()]
}

function postgresqlDirectories(): string[] {
  try {
    return readdirSync(POSTGRESQL_ROOT)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(POSTGRESQL_ROOT, version, 'bin'))
  } catch {
    return []
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
