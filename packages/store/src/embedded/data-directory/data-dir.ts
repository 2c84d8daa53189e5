/**
 * The layout of the data directory. The embedded server writes only inside it. An unusable
 * directory fails with EMBEDDED_DATA_DIR_UNUSABLE.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  describeCause,
  EmbeddedError,
  EmbeddedErrorCode,
  systemErrorCode,
} from './embedded-error.ts'

export interface DataDir {
  readonly root: string
  /** PGDATA: complete or absent, see `cluster.ts`. */
  readonly cluster: string
  /** PostgreSQL's pid file, which also contains the port of a running server. */
  readonly postmasterFile: string
  /** Links that give the packaged shared libraries the names the binaries look for. */
  readonly libraries: string
  readonly log: string
  readonly passwordFile: string
  readonly portFile: string
  /** Name of this cluster, unique on this machine; the titles of its processes contain it. */
  readonly tag: string
}

export async function prepareDataDir(path: string): Promise<DataDir> {
  const dataDir = dataDirAt(await makeDirectory(resolve(path)))
  await refuseForeignCluster(dataDir)
  return dataDir
}

/** The paths, whether or not the files exist. */
export function dataDirAt(root: string): DataDir {
  const cluster = join(root, 'cluster')
  return {
    root,
    cluster,
    postmasterFile: join(cluster, 'postmaster.pid'),
    libraries: join(root, 'lib'),
    log: join(root, 'postgres.log'),
    passwordFile: join(root, 'password'),
    portFile: join(root, 'port'),
    tag: `punctual-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`,
  }
}

async function makeDirectory(path: string): Promise<string> {
  try {
    // Only the leaf is private: a closed parent would lock out a service user who owns the cluster.
    await mkdir(dirname(path), { recursive: true })
    await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      if (systemErrorCode(error) !== 'EEXIST') throw error
    })
    const root = await realpath(path)
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK)
    return root
  } catch (cause) {
    throw dataDirUnusable(path, cause)
  }
}

/** For a failed file operation in the directory, such as on a full or read-only disk. */
export function dataDirUnusable(path: string, cause: unknown): EmbeddedError {
  return new EmbeddedError(
    EmbeddedErrorCode.DataDirUnusable,
    `The data directory ${path} cannot be used: ${describeCause(cause)}. Give this user a ` +
      'directory that it can write and that has space, or set DATABASE_URL to a PostgreSQL server.',
    { cause },
  )
}

async function refuseForeignCluster({ root, cluster }: DataDir): Promise<void> {
  if (await stat(join(root, 'PG_VERSION')).catch(() => undefined)) {
    throw new EmbeddedError(
      EmbeddedErrorCode.DataDirUnusable,
      `The data directory ${root} is itself a PostgreSQL cluster that Punctual did not create. ` +
        'Choose another directory, or run that cluster yourself and set DATABASE_URL.',
    )
  }
  const uid = process.getuid?.()
  const existing = await stat(cluster).catch(() => undefined)
  if (uid && existing && existing.uid !== uid) {
    throw new EmbeddedError(
      EmbeddedErrorCode.DataDirUnusable,
      `${cluster} belongs to user ${existing.uid}, but this process runs as user ${uid}, and ` +
        `PostgreSQL must own its files. Run: chown -R ${uid} ${root}`,
    )
  }
}
