/** One attempt of a command on another host: its connection, its log, and what its end means. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Clock } from '@punctual/core/clock'
import type { SshTarget } from '@punctual/core/target'
import type { Call, Execution, ExecutionOutcome } from '../executor.ts'
import { failed } from '../failed.ts'
import { factsOf } from '../shell/command-environment.ts'
import type { CommandLog } from '../shell/command-log.ts'
import { commandFailure, failedWith, isFinal, stoppedBecause } from '../shell/exit-failure.ts'
import type { Filled } from '../template.ts'
import { clientArguments } from './client-arguments.ts'
import { ControlReader } from './control-reader.ts'
import { type KeyFiles, writeKeyFiles } from './key-files.ts'
import { controlLines, firstCommand, remoteScript } from './remote-script.ts'

/** How long the other host has to end the command: a run ends within a second of its signal. */
const GRACE_MS = 800
const CLIENT_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' }

export interface PreparedSsh {
  readonly target: SshTarget
  readonly call: Call
  readonly clock: Clock
  readonly log: CommandLog
  readonly key: string
  readonly cwd: string | undefined
  readonly command: readonly Filled<string>[]
  readonly env: Filled<Record<string, string>>
  /** The clients that are running, which `close` ends. */
  readonly running: Set<ChildProcessWithoutNullStreams>
}

export class SshExecution implements Execution {
  readonly #prepared: PreparedSsh
  readonly #mark = randomBytes(16).toString('hex')

  constructor(prepared: PreparedSsh) {
    this.#prepared = prepared
  }

  async execute(signal: AbortSignal, fence: string): Promise<ExecutionOutcome> {
    signal.throwIfAborted()
    const { key, target } = this.#prepared
    const files = await writeKeyFiles(key, target.knownHosts)
    try {
      return await this.#connect(files, signal, fence)
    } finally {
      await files.remove()
    }
  }

  async #connect(files: KeyFiles, signal: AbortSignal, fence: string): Promise<ExecutionOutcome> {
    const { target, log, running } = this.#prepared
    const { script, input } = this.#script(fence)
    const args = clientArguments(target, files, firstCommand(this.#mark, script))
    const client = spawn('ssh', args, { env: CLIENT_ENV, stdio: ['pipe', 'pipe', 'pipe'] })
    client.stdin.on('error', () => undefined)
    const onReady = () => {
      // The client has logged in: it needs the files no more.
      void files.remove()
      if (!signal.aborted) client.stdin.write(script + input)
    }
    const reader = new ControlReader(controlLines(this.#mark), onReady, (chunk) =>
      log.push('stderr', chunk),
    )
    client.stdout.on('data', (chunk: Buffer) => log.push('stdout', chunk))
    client.stderr.on('data', (chunk: Buffer) => reader.push(chunk))
    const end = Promise.race([once(client, 'close'), once(client, 'error')])
    if (client.pid === undefined) return clientMissing(await end)
    running.add(client)
    const stop = () => this.#stop(client)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    try {
      await end
    } finally {
      signal.removeEventListener('abort', stop)
      running.delete(client)
    }
    reader.end()
    log.end()
    return this.#outcome(reader, signal)
  }

  /** The end of its input makes the other host end the command, and then the connection. */
  #stop(client: ChildProcessWithoutNullStreams): void {
    client.stdin.end()
    const { clock } = this.#prepared
    const cancel = clock.after(GRACE_MS, () => client.kill('SIGKILL'))
    client.once('exit', cancel)
  }

  #script(fence: string): { readonly script: string; readonly input: string } {
    const { call, command, env, cwd } = this.#prepared
    const input = JSON.stringify(call.payload ?? null)
    const script = remoteScript({
      mark: this.#mark,
      command: command.map((fill) => fill(fence)),
      env: { ...env(fence), ...factsOf(call, fence) },
      cwd,
      inputBytes: Buffer.byteLength(input),
    })
    return { script, input }
  }

  #outcome({ ready, code }: ControlReader, signal: AbortSignal): ExecutionOutcome {
    const { target, log } = this.#prepared
    const { stderr } = log
    if (code === 0) return { kind: 'succeeded', output: log.result }
    if (!ready) return notConnected(target, stderr)
    const stopped = stoppedBecause(signal)
    if (code === null || stopped !== undefined) {
      const lost = `The connection to ${target.host} was lost while the command ran.`
      const reason = stopped === undefined ? 'connection_lost' : 'stopped'
      const message = stopped ?? lost
      return {
        kind: 'failed',
        failure: commandFailure(reason, message, stderr),
        reached: 'perhaps',
      }
    }
    const failure = failedWith({
      code,
      stderr,
      exceeded: undefined,
      stopped: undefined,
      target: {},
    })
    return { kind: 'failed', failure, reached: 'yes', retry: !isFinal(code, target.noRetryCodes) }
  }
}

/** Nothing but another target or another key makes these pass. */
const FOR_GOOD = /Host key verification failed|Permission denied|Load key|invalid format/

function notConnected({ host }: SshTarget, stderr: string): ExecutionOutcome {
  const failure = commandFailure('not_connected', `No command was started on ${host}.`, stderr)
  return { kind: 'failed', failure, reached: 'no', retry: !FOR_GOOD.test(stderr) }
}

function clientMissing([error]: unknown[]): ExecutionOutcome {
  const why = error instanceof Error ? error.message : 'unknown'
  return failed(
    'client_missing',
    `The worker could not start the OpenSSH client (${why}). Install it: apt-get install openssh-client.`,
    'no',
  )
}
