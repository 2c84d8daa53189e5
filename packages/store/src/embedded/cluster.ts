/**
 * Creates the cluster on the first start and checks it on later ones. `initdb` works in a separate
 * folder that is renamed when it has finished, so `cluster` is complete or absent. The next start
 * deletes what a crash left behind. The caller holds the owner lock.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChosenLauncher } from './binaries/choose-launcher.ts'
import { giveTo } from './binaries/file-owner.ts'
import { runCommand } from './binaries/run-command.ts'
import { syncDirectory } from './data-directory/atomic-file.ts'
import type { DataDir } from './data-directory/data-dir.ts'
import { EmbeddedError, EmbeddedErrorCode } from './data-directory/embedded-error.ts'
import { roleName } from './password.ts'

const unfinishedPrefix = 'init-'

export interface InitOptions {
  readonly password: string
  readonly fastInit: boolean
  readonly signal: AbortSignal
}

export async function clusterExists({ cluster }: DataDir): Promise<boolean> {
  return (await stat(cluster).catch(() => undefined)) !== undefined
}

export async function removeUnfinishedClusters({ root }: DataDir): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(unfinishedPrefix)) {
      await removeTree(join(root, name))
    }
  }
}

/** An interrupted initdb may still be writing, so removal is retried. */
async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

export async function initCluster(
  { toolchain, major }: ChosenLauncher,
  { root, cluster }: DataDir,
  { password, fastInit, signal }: InitOptions,
): Promise<void> {
  const folder = join(root, `${unfinishedPrefix}${randomUUID()}`)
  const unfinished = join(folder, 'cluster')
  const passwordFile = join(folder, 'password')
  try {
    await mkdir(folder, { mode: 0o700 })
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
    await giveTo(toolchain.launcher.owner, folder)
    const args = initdbArguments(major, unfinished, passwordFile, fastInit)
    const initdb = toolchain.command('initdb', args)
    const { ok, output } = await runCommand(initdb, { deadlineMs: 120_000, signal })
    if (!ok) throw initFailed(root, output)
    await rename(unfinished, cluster)
    if (!fastInit) await syncDirectory(root)
  } finally {
    await removeTree(folder)
  }
}

/** Fails with EMBEDDED_VERSION_MISMATCH when another major version made the cluster. */
export async function checkCluster(
  { toolchain, major }: ChosenLauncher,
  { root, cluster }: DataDir,
): Promise<void> {
  const found = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (found === '') {
    throw new EmbeddedError(
      EmbeddedErrorCode.DataDirUnusable,
      `${cluster} is not a PostgreSQL cluster: it has no readable PG_VERSION. Restore it from a ` +
        'backup, or move it away to start with an empty database.',
    )
  }
  if (found !== String(major)) {
    throw new EmbeddedError(
      EmbeddedErrorCode.VersionMismatch,
      `The data directory ${root} was created by PostgreSQL ${found}, but this is PostgreSQL ${major}. ` +
        `Either go back to the Punctual release that includes PostgreSQL ${found}, or dump the ` +
        `database with PostgreSQL ${found}, move the directory away and load the dump, or run ` +
        `PostgreSQL ${found} yourself and set DATABASE_URL.`,
    )
  }
  await giveTo(toolchain.launcher.owner, cluster)
}

function initdbArguments(major: number, cluster: string, passwordFile: string, fast: boolean) {
  // Text sorts the same on every machine forever, independent of the version of the C library.
  const builtinLocale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  return [
    `--pgdata=${cluster}`,
    `--username=${roleName}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    ...(major >= 17 ? builtinLocale : []),
    '--data-checksums',
    ...(fast ? ['--no-sync'] : []),
  ]
}

function initFailed(root: string, output: string): EmbeddedError {
  const lastLines = output.split('\n').slice(-15).join('\n')
  return new EmbeddedError(
    EmbeddedErrorCode.InitFailed,
    `initdb could not create a cluster in ${root}. Check the free space and the permissions there; ` +
      `all its files were removed. Its output ends with:\n${lastLines}`,
  )
}
