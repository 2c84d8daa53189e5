/** One attempt of a run for tests of executors: what it logs is recorded. */
import { PunctualError } from '@punctual/core/errors'
import type { Call } from '../../src/executors/executor.ts'

export interface RecordedLine {
  readonly level: string
  readonly message: string
  readonly data: unknown
}

export interface RecordedCall extends Call {
  readonly lines: readonly RecordedLine[]
}

interface Given extends Partial<Pick<Call, 'runId' | 'attempt' | 'payload' | 'job' | 'trace'>> {
  readonly tenantId?: number
  readonly timeoutMs?: number
  readonly atMostOnce?: boolean
  readonly secrets?: Readonly<Record<string, string>>
}

export function recordedCall({ runId = 'run-1', secrets = {}, ...given }: Given): RecordedCall {
  const lines: RecordedLine[] = []
  const write = (level: string) => (message: string, data?: unknown) => {
    lines.push({ level, message, data })
  }
  return {
    ...{ runId, idempotencyKey: runId, tenantId: 1, queue: 'default', attempt: 1, maxAttempts: 3 },
    ...{ payload: null, dueAt: new Date('2026-01-01T00:00:00Z'), timeoutMs: 10_000 },
    ...{ job: null, trace: null, atMostOnce: false, lines },
    log: {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
    },
    async secret(name) {
      const value = secrets[name]
      if (value !== undefined) return value
      throw new PunctualError('secret_not_found', `No secret is named ${name}.`, { id: name })
    },
    heartbeat: () => undefined,
    callback: async () => ({ url: 'http://127.0.0.1/callback', token: 'token' }),
    ...given,
  }
}
