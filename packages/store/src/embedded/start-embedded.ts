/**
 * Starts a PostgreSQL server that this process owns, on a data directory that no other process
 * uses. Nothing is written before the lock is held, and the lock is released when a later step
 * fails.
 */
import { type ChosenLauncher, chooseLauncher } from './binaries/choose-launcher.ts'
import { findNativeDir } from './binaries/native-dir.ts'
import { runCommand } from './binaries/run-command.ts'
import { checkCluster, clusterExists, initCluster, removeUnfinishedClusters } from './cluster.ts'
import { endClusterProcesses } from './data-directory/cluster-processes.ts'
import { type DataDir, dataDirUnusable, prepareDataDir } from './data-directory/data-dir.ts'
import { EmbeddedError, EmbeddedErrorCode, isFileError } from './data-directory/embedded-error.ts'
import { acquireOwnerLock, type OwnerLock } from './data-directory/owner-lock.ts'
import { choosePort, rememberPort } from './data-directory/port.ts'
import { ServerLog } from './data-directory/server-log.ts'
import { type LaunchPlan, launch } from './launch.ts'
import {
  compileOptions,
  type EmbeddedConfig,
  type EmbeddedOptions,
} from './options/embedded-options.ts'
import type { EmbeddedServer } from './options/embedded-server.ts'
import { newPassword, readPassword, resetPassword, storePassword } from './password.ts'
import { Supervisor } from './supervisor.ts'

/** Another process may take a chosen port before the server binds it. Retries this often. */
const portAttemptsMax = 3

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const config = compileOptions(options)
  config.signal.throwIfAborted()
  const native = config.binaries ?? findNativeDir()
  const dataDir = await prepareDataDir(config.dataDir)
  try {
    const lock = await acquireOwnerLock(dataDir.root, { signal: config.signal })
    try {
      return await startOwned(dataDir, config, native, lock)
    } catch (error) {
      await lock.release()
      throw error
    }
  } catch (error) {
    throw isFileError(error) ? dataDirUnusable(dataDir.root, error) : error
  }
}

async function startOwned(
  dataDir: DataDir,
  config: EmbeddedConfig,
  native: string,
  lock: OwnerLock,
): Promise<EmbeddedServer> {
  const chosen = await chooseLauncher(dataDir, native, config.asRoot)
  await endClusterProcesses(dataDir, config.signal)
  const plan: LaunchPlan = {
    config,
    dataDir,
    toolchain: chosen.toolchain,
    log: new ServerLog(dataDir.log),
    password: await prepareCluster(chosen, dataDir, config),
    supportsLz4: await supportsLz4(chosen, dataDir),
  }
  const { postmaster, port } = await launchOnPort(plan)
  return new Supervisor({ plan, port, version: chosen.version, lock, postmaster })
}

/** Returns the password of the cluster, which then exists and has the right version. */
async function prepareCluster(chosen: ChosenLauncher, dataDir: DataDir, config: EmbeddedConfig) {
  const { fastInit, signal } = config
  await removeUnfinishedClusters(dataDir)
  const isNew = !(await clusterExists(dataDir))
  if (!isNew) await checkCluster(chosen, dataDir)
  const stored = await readPassword(dataDir)
  const password = stored ?? newPassword()
  if (isNew) {
    await storePassword(dataDir, password)
    await initCluster(chosen, dataDir, { password, fastInit, signal })
  } else if (!stored) {
    await resetPassword(chosen.toolchain, dataDir, password, signal)
    await storePassword(dataDir, password)
  }
  return password
}

/** A build without lz4 rejects the value, so trying it is the test. */
async function supportsLz4({ toolchain }: ChosenLauncher, { cluster }: DataDir): Promise<boolean> {
  const args = ['-D', cluster, '-C', 'wal_compression', '-c', 'wal_compression=lz4']
  return (await runCommand(toolchain.command('postgres', args))).ok
}

async function launchOnPort(plan: LaunchPlan) {
  const { config, dataDir } = plan
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort(config.port, dataDir)
    try {
      const postmaster = await launch(plan, port, config.signal)
      if (config.port === 0) await rememberPort(port, dataDir)
      return { postmaster, port }
    } catch (error) {
      const wasTaken = error instanceof EmbeddedError && error.code === EmbeddedErrorCode.PortInUse
      if (!wasTaken || config.port !== 0 || attempt >= portAttemptsMax) throw error
    }
  }
}
