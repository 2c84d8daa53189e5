/** Commands on another host, with a real OpenSSH server on loopback. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { SshTarget } from '@punctual/core/target'
import { systemClock } from '@punctual/store'
import { describeWithServer, eventually, type Sshd, startSshd } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { SshExecutor } from '../../src/executors/ssh/ssh-executor.ts'
import { type Behaviour, describeExecutor } from './conformance.ts'
import { recordedCall } from './recorded-call.ts'
import { processesWith, sleepersOf, uniqueSleep } from './shell-kit.ts'

const worker = fileURLToPath(new URL('./ssh-worker.mjs', import.meta.url))
const keyFolders = () =>
  readdirSync('/dev/shm').filter((name) => name.startsWith(`punctual-ssh-${process.pid}-`))

describeWithServer('sshd', () => {
  describeExecutor<SshTarget>('ssh', conformingPeer)

  describe('a command on another host', () => {
    let sshd: Sshd
    const executor = new SshExecutor({ clock: systemClock })
    beforeAll(async () => {
      sshd = await startSshd()
    })
    afterAll(async () => {
      await executor.close()
      await sshd.stop()
    })

    interface Given extends Partial<SshTarget> {
      readonly payload?: unknown
      readonly signal?: AbortSignal
      readonly onLine?: (line: string) => void
      readonly secret?: string
    }
    async function run({ payload = null, signal = never, onLine, secret, ...given }: Given) {
      const secrets = { key: secret ?? sshd.key, token: `it's "secret" $HOME` }
      const call = recordedCall({ payload, secrets })
      const log = { ...call.log, info: listening(call.log.info, onLine) }
      const target = { ...targetOn(sshd), ...given }
      const execution = await executor.prepare(target, { ...call, log })
      return { outcome: await execution.execute(signal, '7'), lines: call.lines }
    }

    test('gets arguments, variables, directory and payload as they are', async () => {
      const odd = ['a b', `"'`, '$(id)', '`id`', 'line\nbreak', '-n', '*', '', 'ü', '\\']
      const { outcome } = await run({
        command: [process.execPath, '-p', REPORT, '--', ...odd],
        env: { TOKEN: '{{secret.token}}' },
        cwd: '/usr',
        payload: { name: 'Ann' },
      })
      const token = `it's "secret" $HOME`
      const facts = { args: odd, token, run: 'run-1', fence: '7', cwd: '/usr' }
      expect(outcome).toEqual({ kind: 'succeeded', output: { ...facts, input: { name: 'Ann' } } })
    })

    test('reports output and exit code, and none of our own lines', async () => {
      const script = 'echo out; echo; echo err >&2; printf end >&2; exit 3'
      const { outcome, lines } = await run({ command: ['sh', '-c', script] })
      expect(outcome).toMatchObject({ failure: { code: 'exit_3' }, reached: 'yes', retry: true })
      expect(lines.map(({ message }) => message).sort()).toEqual(['', 'end', 'err', 'out'])
    })

    test('that exits with 255 has run, unlike one whose connection failed', async () => {
      const { outcome } = await run({ command: ['sh', '-c', 'exit 255'] })
      expect(outcome).toMatchObject({ failure: { code: 'exit_255' }, reached: 'yes' })
    })

    test('is not started on a host with another key', async () => {
      const other = await startSshd()
      const knownHosts = other.knownHosts.replace(String(other.port), String(sshd.port))
      await other.stop()
      const { outcome } = await run({ command: ['true'], knownHosts })
      expect(outcome).toMatchObject({ reached: 'no', retry: false })
      expect(outcome).toMatchObject({
        failure: { message: expect.stringMatching(/Host key verification failed/) },
      })
    })

    test('is not started with a key that the host does not accept', async () => {
      const other = await startSshd()
      await other.stop()
      const { outcome } = await run({ command: ['true'], secret: other.key })
      expect(outcome).toMatchObject({ reached: 'no', retry: false })
    })

    test('shows neither variables nor key to other users of either host', async () => {
      const seconds = uniqueSleep()
      const abort = new AbortController()
      let seen = ''
      const onLine = () => {
        seen = commandLines()
        abort.abort()
      }
      const command = ['sh', '-c', `echo ready; sleep ${seconds}`]
      await run({ command, env: { TOKEN: 'sw0rdfish-token' }, signal: abort.signal, onLine })
      expect(seen).toContain(`sleep ${seconds}`)
      expect(seen).not.toContain('sw0rdfish-token')
      expect(keyFolders()).toEqual([])
    })

    test('ends with all its processes within a second of its signal', async () => {
      const seconds = uniqueSleep()
      const abort = new AbortController()
      let stoppedAtMs = 0
      const onLine = () => {
        stoppedAtMs = performance.now()
        abort.abort()
      }
      const { outcome } = await run({ command: escaping(seconds), signal: abort.signal, onLine })
      expect(performance.now() - stoppedAtMs).toBeLessThan(1_000)
      expect(outcome).toMatchObject({ failure: { code: 'stopped' }, reached: 'perhaps' })
      await eventually('all are gone', () => processesWith(`sleep ${seconds}`).length === 0)
    })

    test('ends when its worker is killed (case 149)', async () => {
      const seconds = uniqueSleep()
      const target = { ...targetOn(sshd), command: escaping(seconds) }
      const given = JSON.stringify({ target, key: sshd.key })
      const child = spawn(process.execPath, [worker], { stdio: ['pipe', 'pipe', 'inherit'] })
      child.stdin.end(given)
      onTestFinished(() => void child.kill('SIGKILL'))
      for await (const line of createInterface({ input: child.stdout })) if (line === 'ready') break
      await eventually('both sleep', () => sleepersOf(seconds).length === 2)
      child.kill('SIGKILL')
      await once(child, 'exit')
      await eventually('all are gone', () => processesWith(`sleep ${seconds}`).length === 0)
    })
  })
})

const never = new AbortController().signal
const REPORT =
  'JSON.stringify({ args: process.argv.slice(1), token: process.env.TOKEN, run: process.env.RUN_ID, ' +
  'fence: process.env.FENCE, cwd: process.cwd(), input: JSON.parse(fs.readFileSync(0, "utf8")) })'

const listening =
  (write: (message: string) => void, onLine: ((line: string) => void) | undefined) =>
  (message: string) => {
    write(message)
    onLine?.(message)
  }

function targetOn({ host, port, user, knownHosts }: Sshd): SshTarget {
  return { kind: 'ssh', host, port, user, knownHosts, key: 'key', command: ['true'] }
}

/** One process in the session of the command, and one that left it and ignores SIGTERM. */
function escaping(seconds: string): string[] {
  const left = `(setsid sh -c 'trap "" TERM; (trap "" TERM; exec sleep ${seconds}) &' &)`
  return ['sh', '-c', `trap "" TERM; ${left}; sleep 0.3; echo ready; sleep ${seconds}`]
}

function commandLines(): string {
  return processesWith('')
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
      } catch {
        return ''
      }
    })
    .join('\n')
}

async function conformingPeer() {
  const sshd = await startSshd()
  const directory = mkdtempSync(join(tmpdir(), 'punctual-ssh-test-'))
  const executor = new SshExecutor({ clock: systemClock })
  const seconds = uniqueSleep()
  const file = join(directory, 'received')
  const scripts: Readonly<Record<Behaviour, string>> = {
    succeed: 'echo done',
    fail: 'echo later >&2; exit 1',
    refuse: 'echo never >&2; exit 64',
    hang: `sleep ${seconds}`,
    flood: 'yes | head -c 8000000',
  }
  // The suite gives the secret KEY only, so that the private key is added for the client.
  const withKey = {
    kind: 'ssh' as const,
    close: () => executor.close(),
    prepare: (target: SshTarget, call: Parameters<SshExecutor['prepare']>[1]) =>
      executor.prepare(target, {
        ...call,
        secret: async (name) => (name === 'private' ? sshd.key : call.secret(name)),
      }),
  }
  const receive = `echo "$IDEMPOTENCY_KEY $FENCE $ATTEMPT $KEY" >> ${file}`
  const target = (behaviour: Behaviour): SshTarget => ({
    ...targetOn(sshd),
    key: 'private',
    command: ['sh', '-c', `${receive}; ${scripts[behaviour]}`],
    env: { KEY: '{{secret.KEY}}' },
    noRetryCodes: '64',
  })
  return {
    executor: withKey,
    target,
    unreachable: () => ({ ...target('succeed'), port: 1 }),
    received: () =>
      linesOf(file).map((line) => {
        const [idempotencyKey = '', fence = '', attempt = '', secret = ''] = line.split(' ')
        return { idempotencyKey, fence, attempt, secret }
      }),
    idle: () =>
      eventually('the command is gone', () => processesWith(`sleep ${seconds}`).length === 0),
    async close() {
      await executor.close()
      await sshd.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    // Nothing was received yet.
    return []
  }
}
