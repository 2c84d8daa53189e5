/**
 * The README's first command in a clean clone in an empty folder: `npm ci && npm start`, twice,
 * ended by Ctrl-C each time. (The second command, `npm ci && npm test`, runs this file.) It
 * installs from the registry, so it runs only where PUNCTUAL_TEST_REQUIRE is `all`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually, freePort } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const repository = fileURLToPath(new URL('../../..', import.meta.url))
const DEADLINE_MS = 240_000

// skips: it needs the npm registry; CI runs it with PUNCTUAL_TEST_REQUIRE=all
describe.skipIf(process.env.PUNCTUAL_TEST_REQUIRE !== 'all')('a clean clone', () => {
  let folder: string
  let children: ChildProcess[]
  beforeAll(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'punctual-clone-')), 'punctual')
    children = []
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${repository}`, folder])
  })
  afterAll(() => {
    for (const child of children)
      if (child.pid && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL')
    rmSync(join(folder, '..'), { recursive: true, force: true, maxRetries: 5 })
  })

  /** Runs a command in a separate shell, as a user would, and collects its output. */
  function run(command: string, port: number) {
    const foreign = /^(PUNCTUAL_|DATABASE_URL$|NODE_|VITEST|npm_)/
    const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name))
    const child = spawn('sh', ['-c', command], {
      cwd: folder,
      env: { ...Object.fromEntries(inherited), PUNCTUAL_PORT: String(port) },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    const started = { child, output: '', code: undefined as number | null | undefined }
    const collect = (text: Buffer) => {
      started.output += text.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('exit', (code) => {
      started.code = code
    })
    return started
  }

  async function interrupt(started: ReturnType<typeof run>): Promise<void> {
    process.kill(-(started.child.pid as number), 'SIGINT')
    await eventually('it exits after Ctrl-C', () => started.code !== undefined, 60_000)
  }

  it(
    'starts with one command, shows runs succeed, fail, retry and die, and keeps its data',
    async () => {
      const port = await freePort()
      const first = run('npm ci && npm start', port)
      await eventually(
        'the sample ends',
        () => /succeeded.*dead/s.test(first.output) || first.code !== undefined,
        DEADLINE_MS,
      )
      expect(first.output).toMatch(/retr|next attempt/)
      const health = await fetch(`http://127.0.0.1:${port}/healthz`)
      expect(health.status).toBe(200)
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
      expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain(
        'punctual_up 1',
      )
      await interrupt(first)
      expect(existsSync(join(folder, '.punctual')), 'the data is in ./.punctual').toBe(true)
      const second = run('npm start', port)
      await eventually(
        'the second start finds the data of the first',
        () => /found \d+ runs?/i.test(second.output) || second.code !== undefined,
        DEADLINE_MS,
      )
      expect(second.output).toMatch(/found \d+ runs?/i)
      await interrupt(second)
    },
    2 * DEADLINE_MS,
  )
})
