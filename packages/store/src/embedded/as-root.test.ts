import { chmod, mkdir, readdir, readFile, readlink, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { findNativeDir } from './binaries/native-dir.ts'
import { runCommand } from './binaries/run-command.ts'
import {
  bareBin,
  copyFolder,
  isRootOnLinux,
  query,
  startForTest,
  temporaryDir,
  usedDataDir,
} from './test/lab.ts'

async function userOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
}

async function allowsNamespaces(): Promise<boolean> {
  const args = ['--user', '--map-user=65534', '--map-group=65534', 'true']
  return (await runCommand({ file: 'unshare', args })).ok
}

// skips: only root has to switch users, and only Linux has namespaces
describe.skipIf(!isRootOnLinux)('for root the server', () => {
  test('runs in a user namespace, and root keeps the files', async (context) => {
    context.skip(!(await allowsNamespaces()), 'user namespaces are refused here')
    const dataDir = await usedDataDir()
    const server = await startForTest({ dataDir, asRoot: 'namespace' })
    expect(await readlink(`/proc/${server.pid}/ns/user`)).not.toBe(
      await readlink('/proc/self/ns/user'),
    )
    expect((await stat(join(dataDir, 'cluster'))).uid).toBe(0)
  })

  test('runs as a service user, who cannot read the password, when asked to', async () => {
    const dataDir = await temporaryDir()
    const server = await startForTest({ dataDir, asRoot: 'service-user' })
    const user = await userOf(server.pid)
    expect(user).toBeGreaterThan(0)
    expect((await stat(join(dataDir, 'cluster'))).uid).toBe(user)
    expect(await stat(join(dataDir, 'password'))).toMatchObject({ uid: 0 })
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('keeps its data when the launcher changes', async () => {
    const dataDir = await usedDataDir()
    for (const asRoot of ['service-user', 'auto', 'service-user'] as const) {
      const server = await startForTest({ dataDir, asRoot })
      await query(server.url, 'create table if not exists steps (step serial)')
      await query(server.url, 'insert into steps default values')
      if (asRoot === 'auto') expect(await query(server.url, 'table steps')).toHaveLength(2)
      await server.stop()
    }
  })

  test('runs as a service user when unshare and setpriv are missing', async () => {
    const dataDir = await usedDataDir()
    vi.stubEnv('PATH', await bareBin())
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const server = await startForTest({ dataDir })
    expect(await userOf(server.pid)).toBeGreaterThan(0)
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('reaches a data directory below a closed one', async () => {
    const closed = await temporaryDir()
    await chmod(closed, 0o700)
    const dataDir = join(closed, 'data')
    const open = await usedDataDir()
    await rename(open, dataDir)
    onTestFinished(() => rename(dataDir, open))
    const server = await startForTest({ dataDir, asRoot: 'service-user' })
    expect(await userOf(server.pid)).toBeGreaterThan(0)
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('is copied out of a closed directory for a service user, once', async () => {
    const closed = await temporaryDir()
    await chmod(closed, 0o700)
    const binaries = join(closed, 'native')
    await mkdir(binaries)
    await copyFolder(findNativeDir(), binaries)
    const dataDir = await usedDataDir()
    const copies = async () =>
      (await readdir(dataDir)).filter((name) => name.startsWith('binaries-'))
    const first = await startForTest({ dataDir, asRoot: 'service-user', binaries })
    expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await first.stop()
    const made = await copies()
    expect(made).toHaveLength(1)
    await (await startForTest({ dataDir, asRoot: 'service-user', binaries })).stop()
    expect(await copies()).toEqual(made)
  })
})
