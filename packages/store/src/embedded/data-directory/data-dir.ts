/**
 * The layout of the data directory. Everything the embedded server writes is inside it, and nothing
 * else of it is touched. Fails with EMBEDDED_DATA_DIR_UNUSABLE.
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
  /** PGDATA. It only ever appears complete: see `cluster.ts`. */
  readonly cluster: string
  /** What a running server says of itself. */
  readonly postmasterFile: string
  /** Links that give the packaged shared libraries the names the binaries look for. */
  readonly libraries: string
  readonly log: string
  readonly passwordFile: string
  readonly portFile: string
  /** Name of this cluster, unique on this machine, that its processes carry in their titles. */
  readonly tag: string
}

export async function prepareDataDir(path: string): Promise<DataDir> {
  const dataDir = dataDirAt(await makeDirectory(resolve(path)))
  await refuseForeignCluster(dataDir)
  return dataDir
}

/** Where everything is, whether or not it is there. */
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
    // Only the leaf is private: a closed parent would keep a service user out of its own cluster.
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

/** For a directory on which a file operation failed, such as on a full or read-only disk. */
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
      `The data directory ${root} is itself a PostgreSQL cluster that Punctual did not make. ` +
        'Choose another directory, or run that cluster yourself and set DATABASE_URL.',
    )
  }
  const uid = process.getuid?.()
  const existing = await stat(cluster).catch(() => undefined)
  if (uid && existing && existing.uid !== uid) {
    throw new EmbeddedError(
      EmbeddedErrorCode.DataDirUnusable,
      `${cluster} belongs to user ${existing.uid}, and this process is user ${uid}; PostgreSQL ` +
        `insists on its own files. Run: chown -R ${uid} ${root}`,
    )
  }
}
