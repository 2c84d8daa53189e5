/** Commands whose worker is killed leave no processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@punctual/store'
import { eventually } from '@punctual/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { ShellExecutor } from '../../src/executors/shell/shell-executor.ts'
import { containments, processesWith, sleepersOf, uniqueSleep } from './shell-kit.ts'

const script = fileURLToPath(new URL('./shell-worker.mjs', import.meta.url))

/** A worker whose command has started processes that try to survive it. */
async function aWorker(kind: string, seconds: string) {
  const directory = await mkdtemp(join(tmpdir(), 'punctual-shell-test-'))
  const worker = spawn(process.execPath, [script, directory, kind, seconds], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void worker.kill('SIGKILL'))
  for await (const line of createInterface({ input: worker.stdout })) if (line === 'ready') break
  await eventually('all sleep', () => sleepersOf(seconds).length === 3)
  return { worker, directory }
}

test.each(containments)(
  'the processes of a command %s end when its worker is killed (case 149)',
  async (_, { kind }) => {
    const seconds = uniqueSleep()
    const { worker, directory } = await aWorker(kind, seconds)
    worker.kill('SIGKILL')
    await once(worker, 'exit')
    await eventually('all are gone', () => processesWith(`sleep ${seconds}`).length === 0)
    await rm(directory, { recursive: true, force: true })
  },
)

test('what a killed worker left behind ends before the next one starts a command (case 149)', async () => {
  const seconds = uniqueSleep()
  const { worker, directory } = await aWorker('unguarded', seconds)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  expect(sleepersOf(seconds)).toHaveLength(3)
  const next = new ShellExecutor({ clock: systemClock, directory })
  await next.open()
  expect(processesWith(`sleep ${seconds}`)).toEqual([])
  expect(await readdir(directory)).toEqual([expect.stringContaining(`worker-${process.pid}-`)])
  await next.close()
  await rm(directory, { recursive: true, force: true })
})

test('a directory of another user is refused (case 151)', async () => {
  const directory = '/proc/sys'
  const executor = new ShellExecutor({ clock: systemClock, directory })
  await expect(executor.open()).rejects.toThrow()
})
