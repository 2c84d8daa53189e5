import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { directoryPrefix, removeAbandonedDirectories } from './abandoned-directories.ts'

const tomorrow = Date.now() + 24 * 60 * 60_000
/** A process id above the largest one that any system assigns. */
const nobody = 2 ** 30

async function folderWith(...names: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'punctual-sweep-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of names) await mkdir(join(folder, name))
  return folder
}

test('the sweep removes only old directories of ended test runs', async () => {
  const alive = `${directoryPrefix(process.pid)}a`
  const folder = await folderWith(`${directoryPrefix(nobody)}b`, alive, 'something-else')
  await removeAbandonedDirectories(folder)
  expect(await readdir(folder)).toHaveLength(3)
  await removeAbandonedDirectories(folder, tomorrow)
  expect((await readdir(folder)).sort()).toEqual([alive, 'something-else'].sort())
})
