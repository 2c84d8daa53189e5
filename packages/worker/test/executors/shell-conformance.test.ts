/** The shell executor against the rules for every kind of executor. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ShellTarget } from '@punctual/core/target'
import { systemClock } from '@punctual/store'
import { expect } from 'vitest'
import { ShellExecutor } from '../../src/executors/shell/shell-executor.ts'
import { type Behaviour, describeExecutor } from './conformance.ts'
import { processesWith, uniqueSleep } from './shell-kit.ts'

const seconds = uniqueSleep()

const commands: Readonly<Record<Behaviour, string>> = {
  succeed: 'echo done',
  fail: 'echo later >&2; exit 1',
  refuse: 'echo never >&2; exit 64',
  hang: `sleep ${seconds}`,
  flood: 'yes | head -c 8000000',
}

describeExecutor<ShellTarget>('shell', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'punctual-shell-test-'))
  const executor = new ShellExecutor({ clock: systemClock, directory })
  const file = join(directory, 'received')
  const receive = `echo "$IDEMPOTENCY_KEY $FENCE $ATTEMPT $KEY" >> "$RECEIVED"`
  return {
    executor,
    target: (behaviour) => ({
      kind: 'shell',
      shell: true,
      command: `${receive}; ${commands[behaviour]}`,
      env: { KEY: '{{secret.KEY}}', RECEIVED: file },
      noRetryCodes: '64',
    }),
    unreachable: () => null,
    received: () =>
      linesOf(file).map((line) => {
        const [idempotencyKey = '', fence = '', attempt = '', secret = ''] = line.split(' ')
        return { idempotencyKey, fence, attempt, secret }
      }),
    idle: async () => expect(processesWith(`sleep ${seconds}`)).toEqual([]),
    async close() {
      await executor.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
})

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    // Nothing was received yet.
    return []
  }
}
