import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@punctual/testkit'
import { expect, test } from 'vitest'
import { attachEmbedded, isEmbeddedDataDir } from './attach-embedded.ts'
import { query, startForTest, temporaryDir, usedDataDir } from './test/lab.ts'

test('attaching to a running server returns the URL of its owner', async () => {
  const dataDir = await usedDataDir()
  const owner = await startForTest({ dataDir })
  const url = await attachEmbedded(dataDir)
  expect(url).toBe(owner.url)
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('attaching finds a server on a requested port', async () => {
  const dataDir = await usedDataDir()
  const owner = await startForTest({ dataDir, port: await freePort() })
  expect(await attachEmbedded(dataDir)).toBe(owner.url)
})

test('attaching waits for a server that is still starting, even for the first time', async () => {
  const dataDir = await temporaryDir()
  const attaching = attachEmbedded(dataDir)
  const owner = await startForTest({ dataDir })
  expect(await attaching).toBe(owner.url)
})

test('attaching to a server that does not answer fails with database_unavailable', async () => {
  const dataDir = await usedDataDir()
  await expect(attachEmbedded(dataDir, { deadlineMs: 0 })).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringContaining(dataDir),
  })
})

test("attaching ends when the caller's signal aborts", async () => {
  const dataDir = await temporaryDir()
  const abort = new AbortController()
  const refused = expect(attachEmbedded(dataDir, { signal: abort.signal })).rejects.toThrow()
  abort.abort()
  await refused
})

test('a directory contains a database once it has a cluster', async () => {
  const dataDir = await temporaryDir()
  expect(await isEmbeddedDataDir(dataDir)).toBe(false)
  expect(await isEmbeddedDataDir(join(dataDir, 'missing'))).toBe(false)
  await startForTest({ dataDir })
  expect(await isEmbeddedDataDir(dataDir)).toBe(true)
  await rm(join(dataDir, 'port'), { force: true })
  expect(await attachEmbedded(dataDir)).toMatch(/^postgres:/)
})
