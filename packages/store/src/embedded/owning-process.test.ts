/**
 * Tests between processes. The owner is a child process that runs a bundle of the sources, so it
 * can run as any user and needs no build.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { findNativeDir } from './binaries/native-dir.ts'
import { runCommand } from './binaries/run-command.ts'
import { EmbeddedErrorCode } from './data-directory/embedded-error.ts'
import { isAlive } from './data-directory/process-identity.ts'
import {
  bareBin,
  isRootOnLinux,
  nativeDirFor,
  query,
  startForTest,
  temporaryDir,
  usedDataDir,
} from './test/lab.ts'

const patience = { timeout: 20_000, interval: 20 }
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'punctual-owner-'))
  await chmod(folder, 0o755)
  const entry = join(folder, 'entry.mjs')
  await writeFile(
    entry,
    `import { startEmbedded } from ${JSON.stringify(fileURLToPath(new URL('index.ts', import.meta.url)))}
    try {
      const server = await startEmbedded(JSON.parse(process.argv[2]))
      console.log(JSON.stringify({ url: server.url, pid: server.pid }))
      process.once('SIGTERM', () => server.stop())
    } catch ({ code, message }) {
      console.log(JSON.stringify({ code, message }))
    }`,
  )
  await build({
    configFile: false,
    logLevel: 'error',
    root: folder,
    ssr: { noExternal: true, external: ['pg-native', 'pg-cloudflare'] },
    build: { ssr: entry, rollupOptions: { output: { entryFileNames: 'owner.mjs' } } },
  })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Announcement {
  readonly url: string
  readonly pid: number
  readonly code?: string
  readonly message?: string
}

interface Owner {
  readonly process: ChildProcess
  readonly gone: Promise<unknown>
  /** Its first line of output, once it has started or failed. */
  readonly announced: Promise<Announcement>
}

interface OwnerOptions {
  /** A program, and its arguments, that starts the owner. */
  readonly prefix?: readonly string[]
  readonly path?: string
  readonly binaries?: string
}

function startOwner(dataDir: string, { prefix = [], path = '', binaries = '' }: OwnerOptions = {}) {
  const settings = { fsync: 'off' }
  const options = { dataDir, fastInit: true, settings, binaries: binaries || findNativeDir() }
  const program = [process.execPath, join(folder, 'dist', 'owner.mjs'), JSON.stringify(options)]
  const [file = '', ...args] = [...prefix, ...program]
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: path || process.env.PATH, HOME: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const lines = createInterface({ input: child.stdout })
  const announced = new Promise<Announcement>((resolve, reject) => {
    lines.once('line', (line) => resolve(JSON.parse(line)))
    lines.once('close', () => reject(new Error('the owner ended without any output')))
  })
  announced.catch(() => {})
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await gone
  })
  return { process: child, gone, announced } satisfies Owner
}

async function killOwner(owner: Owner): Promise<void> {
  owner.process.kill('SIGKILL')
  await owner.gone
}

describe('after its owner was killed, the data directory', () => {
  test('starts again with its data', async () => {
    const dataDir = await usedDataDir()
    const owner = startOwner(dataDir)
    const { url } = await owner.announced
    await query(url, 'create table kept as select 42 as answer')
    await killOwner(owner)
    const next = await startForTest({ dataDir })
    expect(await query(next.url, 'table kept')).toEqual([{ answer: 42 }])
  })

  // skips: only Linux can send a signal when the parent dies
  test.skipIf(process.platform !== 'linux')('has no running server', async () => {
    const owner = startOwner(await usedDataDir())
    const { pid } = await owner.announced
    await killOwner(owner)
    await vi.waitFor(async () => expect(await isAlive(pid)).toBe(false), patience)
  })

  test('starts again even if the server outlived its owner', async () => {
    const dataDir = await usedDataDir()
    // Without setpriv on the path, the server keeps running after its owner is killed.
    const owner = startOwner(dataDir, { path: await bareBin() })
    const { url, pid } = await owner.announced
    await query(url, 'create table kept_too as select 42 as answer')
    await killOwner(owner)
    expect(await isAlive(pid)).toBe(true)
    const next = await startForTest({ dataDir })
    expect(await isAlive(pid)).toBe(false)
    expect(await query(next.url, 'table kept_too')).toEqual([{ answer: 42 }])
  })

  test('is created again when the owner was killed during init', async () => {
    const dataDir = await temporaryDir()
    const owner = startOwner(dataDir)
    await vi.waitFor(async () => expect((await readdir(dataDir)).join()).toMatch('init-'), patience)
    await killOwner(owner)
    const next = await startForTest({ dataDir })
    expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})

describe('of several processes', () => {
  test('that start on an empty directory at the same time, one becomes the owner', async () => {
    const dataDir = await temporaryDir()
    const owners = [startOwner(dataDir), startOwner(dataDir), startOwner(dataDir)]
    const announcements = await Promise.all(owners.map(({ announced }) => announced))
    const winner = announcements.find(({ url }) => url)
    const others = announcements.filter(({ url }) => !url)
    expect(others).toHaveLength(2)
    for (const other of others) expect(other.code).toBe(EmbeddedErrorCode.DataDirInUse)
    expect(await query(winner?.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('only the first gets a directory; the error of the second has its process id', async () => {
    const dataDir = await usedDataDir()
    const owner = startOwner(dataDir)
    await owner.announced
    await expect(startForTest({ dataDir })).rejects.toMatchObject({
      code: EmbeddedErrorCode.DataDirInUse,
      message: expect.stringContaining(`process ${owner.process.pid}`),
    })
  })
})

// skips: only root can start a process as another user
describe.skipIf(!isRootOnLinux)('started by root as another user, the server of', () => {
  const as = (uid: number) => ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']

  async function startAs(uid: number) {
    const dataDir = await temporaryDir()
    await chown(dataDir, uid, uid)
    const owner = startOwner(dataDir, {
      prefix: as(uid),
      binaries: await nativeDirFor(as(uid)),
    })
    const { url, message } = await owner.announced
    return { url, message, owner }
  }

  test('an ordinary user runs', async () => {
    const { url, message, owner } = await startAs(65_534)
    expect(message).toBeUndefined()
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    owner.process.kill('SIGTERM')
    await owner.gone
    expect(owner.process.exitCode).toBe(0)
  })

  test('a user without a passwd entry runs if user namespaces are allowed', async (context) => {
    const nameless = 54_321
    const [file = '', ...args] = [...as(nameless), 'unshare', '--user', 'true']
    context.skip(!(await runCommand({ file, args })).ok, 'user namespaces are refused here')
    const { url, message } = await startAs(nameless)
    expect(message).toBeUndefined()
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})
