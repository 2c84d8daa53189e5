/** The bench ends on a signal, also when what it has to stop does not. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const interrupts = fileURLToPath(new URL('../../../bench/lib/interrupts.mjs', import.meta.url))

/** A process that is kept alive, and that stops in the way given. */
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
  '%s ends it with 130 when everything is stopped',
  async (signal) => {
    const { child, exited } = await aBench('Promise.resolve()')
    child.kill(signal)
    expect(await exited).toBe(130)
  },
)

test('it ends with 130 when stopping fails', async () => {
  const { child, exited } = await aBench(`Promise.reject(new Error('no'))`)
  child.kill('SIGINT')
  expect(await exited).toBe(130)
})

test('it ends at the deadline when stopping hangs', async () => {
  const { child, exited } = await aBench(never, 50)
  child.kill('SIGINT')
  expect(await exited).toBe(130)
})

test('a second signal ends it at once', async () => {
  const { child, exited, saw } = await aBench(never)
  const stopping = saw('stopping')
  child.kill('SIGINT')
  await stopping
  child.kill('SIGINT')
  expect(await exited).toBe(130)
})

test('an error that nobody catches while it stops changes nothing', async () => {
  const fails = `new Promise((resolve) => setImmediate(() => { setImmediate(resolve); throw new Error('gone') }))`
  const { child, exited } = await aBench(fails)
  child.kill('SIGINT')
  expect(await exited).toBe(130)
})
