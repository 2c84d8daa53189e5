import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDir } from '../test/lab.ts'
import { ServerLog } from './server-log.ts'

test('the tail contains the lines of the current server only', async () => {
  const path = join(await temporaryDir(), 'postgres.log')
  await writeFile(path, 'of yesterday\n')
  const log = new ServerLog(path)
  await (await log.openForServer()).close()
  await appendFile(path, 'one\nFATAL:  the database system is starting up\ntwo\nthree\n')
  expect(await log.tail()).toBe('one\ntwo\nthree')
  expect(await log.tail(2)).toBe('two\nthree')
})

test('a log above its limit is rotated while the server keeps writing to it', async () => {
  const path = join(await temporaryDir(), 'postgres.log')
  const log = new ServerLog(path, { sizeMax: 10 })
  const server = await log.openForServer()
  await server.write('a long first line\n')
  await log.rotate()
  await server.write('second\n')
  await log.rotate()
  await server.close()
  expect(await readFile(path, 'utf8')).toBe('second\n')
  expect(await readFile(`${path}.1`, 'utf8')).toBe('a long first line\n')
  expect(await log.tail()).toBe('second')
})

test('a log that does not exist yet has an empty tail', async () => {
  expect(await new ServerLog(join(await temporaryDir(), 'postgres.log')).tail()).toBe('')
})
