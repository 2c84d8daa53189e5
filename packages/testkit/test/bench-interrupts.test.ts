/** The bench exits on a signal, even if the servers and children that it has to stop do not. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const interrupts = fileURLToPath(new URL('../../../bench/lib/interrupts.mjs', import.meta.url))

/** A process that stays alive and stops in the given way. */
async function aBench(stop: string, deadlineMs = 600_000) {
  const source = `
    import { endOnSignals } from ${JSON.stringify(interrupts)}
    setInterval(() => {}, 1000)
    endOnSignals(() => { process.stdout.write('stopping'); return ${stop} }, { deadlineMs: ${deadlineMs} })
    process.stdout.write('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal))
  })
  const saw = (text: string) =>
    new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => String(chunk).includes(text) && resolve())
    })
  await saw('ready')
  return { child, exited, saw }
}

const never = 'new Promise(() => {})'

test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s makes it exit with 130 when everything is stopped',
  async (signal) => {
    const { child, exited } = await aBench('Promise.resolve()')
    child.kill(signal)
    expect(await exited).toBe(130)
  },
)

test('it exits with 130 when stopping fails', async () => {
  const { child, exited } = await aBench(`Promise.reject(new Error('no'))`)
  child.kill('SIGINT')
  expect(await exited).toBe(130)
})

test('it exits at the deadline when stopping hangs', async () => {
  const { child, exited } = await aBench(never, 50)
  child.kill('SIGINT')
  expect(await exited).toBe(130)
})

test('a second signal makes it exit at once', async () => {
  const { child, exited, saw } = await aBench(never)
  const stopping = saw('stopping')
  child.kill('SIGINT')
  await stopping
  child.kill('SIGINT')
  expect(await exited).toBe(130)
})

test('an uncaught error while it stops changes nothing', async () => {
  const fails = `new Promise((resolve) => setImmediate(() => { setImmediate(resolve); throw new Error('gone') }))`
  const { child, exited } = await aBench(fails)
  child.kill('SIGINT')
  expect(await exited).toBe(130)
})
