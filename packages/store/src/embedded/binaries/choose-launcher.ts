/**
 * Finds the first way of running PostgreSQL that this machine allows. It tries them, because
 * containers, old kernels and mount options refuse in more ways than can be predicted. A trial runs
 * a shell in the data directory and `postgres --version`, in about 10 ms. When all trials fail, the
 * error EMBEDDED_UNAVAILABLE lists the reason of each.
 */
import { chmod, stat } from 'node:fs/promises'
import type { DataDir } from '../data-directory/data-dir.ts'
import { describeCause } from '../data-directory/embedded-error.ts'
import type { AsRoot } from '../options/embedded-options.ts'
import { copyBinaries } from './copied-binaries.ts'
import { type Launcher, possibleLaunchers } from './launcher.ts'
import { linkLibraries } from './library-links.ts'
import { isMusl, unavailable } from './native-dir.ts'
import { runCommand } from './run-command.ts'
import { findServiceUser, hasPasswdEntry } from './service-user.ts'
import { Toolchain } from './toolchain.ts'

export interface ChosenLauncher {
  readonly toolchain: Toolchain
  /** The PostgreSQL version, such as `18.4`. */
  readonly version: string
  readonly major: number
}

export async function chooseLauncher(
  dataDir: DataDir,
  native: string,
  asRoot: AsRoot,
): Promise<ChosenLauncher> {
  const uid = process.getuid?.()
  const launchers = possibleLaunchers({
    platform: process.platform,
    uid,
    gid: process.getgid?.(),
    hasPasswdEntry: hasPasswdEntry(),
    serviceUser: uid === 0 ? await findServiceUser() : undefined,
    asRoot,
  })
  const refusals: string[] = []
  for (const launcher of launchers) {
    const trial = await tryLauncher(launcher, dataDir, native)
    if (typeof trial !== 'string') return trial
    refusals.push(`${launcher.name}: ${trial}`)
  }
  throw unavailable(await explain(refusals))
}

/** Returns the reason when the launcher does not work. */
async function tryLauncher(
  launcher: Launcher,
  dataDir: DataDir,
  native: string,
): Promise<ChosenLauncher | string> {
  // Another user only needs to pass through; private files inside stay closed by their own modes.
  if (launcher.isOtherUser) await chmod(dataDir.root, (await stat(dataDir.root)).mode | 0o011)
  const refusal = await refusalOfDataDir(launcher, dataDir)
  if (refusal) return refusal
  const found = await tryBinaries(launcher, dataDir, native)
  if (typeof found !== 'string' || !launcher.isOtherUser) return found
  try {
    return await tryBinaries(launcher, dataDir, await copyBinaries(native, dataDir.root))
  } catch (error) {
    return `${found}; and the binaries could not be copied: ${describeCause(error)}`
  }
}

async function refusalOfDataDir(launcher: Launcher, { root }: DataDir) {
  if (process.platform === 'win32') return undefined
  const probe = new Toolchain('', launcher, '/', {}).wrap('sh', ['-c', 'cd "$0"', root])
  const { ok, output } = await runCommand(probe)
  return ok ? undefined : output || 'the data directory cannot be entered'
}

async function tryBinaries(launcher: Launcher, dataDir: DataDir, native: string) {
  const libraries = await linkLibraries(native, dataDir.libraries)
  const toolchain = new Toolchain(native, launcher, dataDir.root, libraries)
  const { ok, output } = await runCommand(toolchain.command('postgres', ['--version']))
  const [, version, major] = /\(PostgreSQL\) ((\d+)[.\w]*)/.exec(output) ?? []
  if (!ok || !version) return output || 'postgres --version printed nothing'
  return { toolchain, version, major: Number(major) }
}

async function explain(refusals: readonly string[]): Promise<string> {
  if (await isMusl()) {
    return 'its binaries need glibc, and this system uses musl. Use a glibc image such as Debian,'
  }
  const details = refusals.map((refusal) => `\n  - ${refusal.replaceAll('\n', ' ')}`).join('')
  const tried = details || '\n  - no user to run it as: root needs a user postgres or nobody'
  return `its binaries could not be started in any way:${tried}\nRun as a user that has a passwd entry,`
}
