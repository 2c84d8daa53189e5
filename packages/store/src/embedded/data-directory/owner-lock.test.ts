import { readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryDir } from '../test/lab.ts'
import { EmbeddedErrorCode } from './embedded-error.ts'
import { acquireOwnerLock } from './owner-lock.ts'
import { ownIdentity } from './process-identity.ts'

const quick = { beatMs: 20 }

async function leaveLock(root: string, record: object) {
  const path = join(root, 'owner.7.json')
  const holder = { ...(await ownIdentity()), host: 'somewhere', released: false }
  await writeFile(path, JSON.stringify({ ...holder, ...record }))
  return path
}

describe('the owner lock', () => {
  test('has one holder, and the error for others names it', async () => {
    const root = await temporaryDir()
    const lock = await acquireOwnerLock(root)
    await expect(acquireOwnerLock(root)).rejects.toMatchObject({
      code: EmbeddedErrorCode.DataDirInUse,
      message: expect.stringContaining(`this process (pid ${process.pid})`),
    })
    await lock.release()
  })

  test('can be taken again after its release', async () => {
    const root = await temporaryDir()
    for (let round = 0; round < 3; round++) await (await acquireOwnerLock(root)).release()
    expect(await readdir(root)).toEqual(['owner.3.json'])
  })

  test('goes to exactly one of several processes that find a dead holder', async () => {
    const root = await temporaryDir()
    await leaveLock(root, { startMark: 'of a process that ended' })
    const attempts = Array.from({ length: 20 }, () => acquireOwnerLock(root))
    const outcomes = await Promise.allSettled(attempts)
    const winners = outcomes.filter(({ status }) => status === 'fulfilled')
    expect(winners).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') await outcome.value.release()
      else expect(outcome.reason).toMatchObject({ code: EmbeddedErrorCode.DataDirInUse })
    }
  })

  test('is taken from a holder whose process id now belongs to another process', async () => {
    const root = await temporaryDir()
    await leaveLock(root, { startMark: '1' })
    await (await acquireOwnerLock(root)).release()
  })

  test('is taken from a holder in another boot or container that has stopped beating', async () => {
    const root = await temporaryDir()
    await leaveLock(root, { scope: 'elsewhere' })
    await (await acquireOwnerLock(root, quick)).release()
  })

  test('stays with a holder in another container that keeps beating', async () => {
    const root = await temporaryDir()
    const path = await leaveLock(root, { scope: 'elsewhere', pid: 7 })
    const beat = setInterval(() => utimes(path, new Date(), new Date()), quick.beatMs)
    onTestFinished(() => clearInterval(beat))
    await expect(acquireOwnerLock(root, quick)).rejects.toThrow('process 7 on somewhere')
  })

  test('can be taken after a power failure has emptied its file', async () => {
    const root = await temporaryDir()
    await writeFile(join(root, 'owner.3.json'), '')
    await (await acquireOwnerLock(root, quick)).release()
    expect(await readdir(root)).toEqual(['owner.4.json'])
  })

  test('notifies its holder when its file disappears', async () => {
    const root = await temporaryDir()
    const lock = await acquireOwnerLock(root, quick)
    await rm(join(root, 'owner.1.json'))
    await lock.lost
    await lock.release()
    expect(await readdir(root)).toEqual([])
  })
})
