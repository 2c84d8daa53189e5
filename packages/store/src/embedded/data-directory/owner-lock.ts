/**
 * Guarantees one owner per data directory without the locks of the operating system, which Node
 * does not offer.
 *
 * The lock is a chain of files `owner.<generation>.json`. The highest generation counts, and only
 * the owner of a higher one removes it. To take the lock, a process creates the next generation
 * with `link`, which is atomic and includes the content, and then checks that it is still the
 * highest. So of any number of processes that find the same dead owner, exactly one succeeds.
 *
 * The process id and start time show whether a holder in the same scope is alive. They say nothing
 * about a holder in another scope (another container on the same volume, an earlier boot), so its
 * file is watched instead: an owner touches its file every beat. A living holder is reported as
 * EMBEDDED_DATA_DIR_IN_USE.
 */
import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { writeFileAtomic, writeFileDurable } from './atomic-file.ts'
import { EmbeddedError, EmbeddedErrorCode, systemErrorCode } from './embedded-error.ts'
import { type LockRecord, parseLockRecord } from './lock-record.ts'
import { isRunning, ownIdentity } from './process-identity.ts'
import { waitUntil } from './wait-until.ts'

export interface OwnerLock {
  /** Resolves when another process has taken or removed the lock. */
  readonly lost: Promise<void>
  release(): Promise<void>
}

export interface OwnerLockOptions {
  /** How often the owner touches its file. @default 1000 */
  readonly beatMs?: number
  readonly signal?: AbortSignal
}

/** After this many missed beats, a holder in another scope counts as dead. */
const missedBeatsMax = 10
const attemptsMax = 20

export async function acquireOwnerLock(
  root: string,
  { beatMs = 1000, signal }: OwnerLockOptions = {},
): Promise<OwnerLock> {
  const record: LockRecord = { ...(await ownIdentity()), host: hostname(), released: false }
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const top = await highestGeneration(root)
    const holder = top === 0 ? undefined : await livingHolder(lockPath(root, top), beatMs, signal)
    if (holder) throw inUse(root, holder)
    const generation = top + 1
    if (!(await claim(root, generation, record))) continue
    if ((await highestGeneration(root)) !== generation) {
      await rm(lockPath(root, generation), { force: true })
      continue
    }
    await removeOlder(root, generation)
    return hold(lockPath(root, generation), record, beatMs)
  }
  throw inUse(root, 'several processes that are starting at the same time')
}

async function claim(root: string, generation: number, record: LockRecord): Promise<boolean> {
  const temporary = join(root, `owner.${randomUUID()}.tmp`)
  await writeFileDurable(temporary, JSON.stringify(record), 0o600)
  try {
    await link(temporary, lockPath(root, generation))
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(temporary, { force: true })
  }
}

function hold(path: string, record: LockRecord, beatMs: number): OwnerLock {
  let lose = () => {}
  const lost = new Promise<void>((resolve) => {
    lose = resolve
  })
  const beat = setInterval(() => {
    utimes(path, new Date(), new Date()).catch((error: unknown) => {
      if (systemErrorCode(error) === 'ENOENT') lose()
    })
  }, beatMs).unref()
  return {
    lost,
    async release() {
      clearInterval(beat)
      // Marked, not removed: generations must only grow while the directory exists.
      if (!(await stat(path).catch(() => undefined))) return
      const released = JSON.stringify({ ...record, released: true })
      // A full disk cannot store the mark. No other process can claim on it either: removing is
      // safe.
      await writeFileAtomic(path, released).catch(() => rm(path, { force: true }))
    },
  }
}

/** Describes the holder if it is alive. */
async function livingHolder(path: string, beatMs: number, signal: AbortSignal | undefined) {
  const record = await readRecord(path)
  if (record === 'gone' || (record !== 'torn' && record.released)) return undefined
  const { scope } = await ownIdentity()
  const alive =
    record !== 'torn' && record.scope === scope
      ? await isRunning(record)
      : await isBeating(path, beatMs, signal)
  if (!alive) return undefined
  return record === 'torn' ? 'an unknown process' : nameOf(record)
}

function nameOf({ pid, host }: LockRecord): string {
  return pid === process.pid && host === hostname()
    ? `this process (pid ${pid})`
    : `process ${pid} on ${host}`
}

async function readRecord(path: string): Promise<LockRecord | 'torn' | 'gone'> {
  const content = await readFile(path, 'utf8').catch(() => undefined)
  return content === undefined ? 'gone' : (parseLockRecord(content) ?? 'torn')
}

/** A touched file counts as a beat only while the lock is held: releasing touches the file too. */
async function isBeating(path: string, beatMs: number, signal: AbortSignal | undefined) {
  const touchedAt = async () => (await stat(path).catch(() => undefined))?.mtimeMs
  const before = await touchedAt()
  const changed = await waitUntil(
    async () => (await touchedAt()) !== before,
    beatMs * missedBeatsMax,
    { pollMs: Math.ceil(beatMs / 4), ...(signal ? { signal } : {}) },
  )
  const record = await readRecord(path)
  return changed && record !== 'gone' && (record === 'torn' || !record.released)
}

function lockPath(root: string, generation: number): string {
  return join(root, `owner.${generation}.json`)
}

async function generations(root: string): Promise<number[]> {
  const names = await readdir(root)
  return names.map((name) => Number(/^owner\.(\d+)\.json$/.exec(name)?.[1] ?? 0))
}

async function highestGeneration(root: string): Promise<number> {
  return Math.max(0, ...(await generations(root)))
}

async function removeOlder(root: string, generation: number): Promise<void> {
  for (const older of await generations(root)) {
    if (older > 0 && older < generation) await rm(lockPath(root, older), { force: true })
  }
}

function inUse(root: string, holder: string): EmbeddedError {
  return new EmbeddedError(
    EmbeddedErrorCode.DataDirInUse,
    `The data directory ${root} is in use by ${holder}, and it can have only one owner. ` +
      'Stop that process, give this one another data directory, or let several processes share ' +
      'one PostgreSQL server by setting DATABASE_URL.',
  )
}
