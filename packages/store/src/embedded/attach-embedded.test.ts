import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@punctual/testkit'
import { expect, test } from 'vitest'
import { attachEmbedded, isEmbeddedDataDir } from './attach-embedded.ts'
import { query, startForTest, temporaryDir, usedDataDir } from './test/lab.ts'

test('attaching to a server that runs gives the URL of its owner', async () => {
  const dataDir = await usedDataDir()
  const owner = await startForTest({ dataDir })
  const url = await attachEmbedded(dataDir)
  expect(url).toBe(owner.url)
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a server on a port that was asked for is found as well', async () => {
  const dataDir = await usedDataDir()
  const owner = await startForTest({ dataDir, port: await freePort() })
  expect(await attachEmbedded(dataDir)).toBe(owner.url)
})

test('attaching waits for a server that is still starting, also for the first time', async () => {
  const dataDir = await temporaryDir()
  const attaching = attachEmbedded(dataDir)
  const owner = await startForTest({ dataDir })
  expect(await attaching).toBe(owner.url)
})

test('a server that does not answer is told as database_unavailable', async () => {
  const dataDir = await usedDataDir()
  await expect(attachEmbedded(dataDir, { deadlineMs: 0 })).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringContaining(dataDir),
  })
})

test('attaching ends with the signal of the caller', async () => {
  const dataDir = await temporaryDir()
  const abort = new AbortController()
  const refused = expect(attachEmbedded(dataDir, { signal: abort.signal })).rejects.toThrow()
  abort.abort()
  await refused
})

test('a directory has a database once there is a cluster in it', async () => {
  const dataDir = await temporaryDir()
  expect(await isEmbeddedDataDir(dataDir)).toBe(false)
  expect(await isEmbeddedDataDir(join(dataDir, 'not there'))).toBe(false)
  await startForTest({ dataDir })
  expect(await isEmbeddedDataDir(dataDir)).toBe(true)
  await rm(join(dataDir, 'port'), { force: true })
  expect(await attachEmbedded(dataDir)).toMatch(/^postgres:/)
})
