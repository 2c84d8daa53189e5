/**
 * The runs of the sample: between them they succeed, fail, retry, time out, die and are cancelled.
 */
import type { SubmitOptions } from '@punctual/core/submit'

export interface Scene {
  readonly handler: string
  readonly message: string
  readonly payload?: unknown
  readonly options?: SubmitOptions
  readonly thenCancel?: true
}

export const story: readonly Scene[] = [
  {
    handler: 'welcome-email',
    message: 'succeeds at once',
    payload: { to: 'ada@example.com' },
    options: { labels: { campaign: 'welcome' } },
  },
  { handler: 'charge-card', message: 'fails once and is retried', payload: { amount: 42 } },
  { handler: 'fetch-rates', message: 'asks for a retry in 2 s' },
  { handler: 'resize-image', message: 'takes a while, logs and reports progress' },
  {
    handler: 'slow-export',
    message: 'has a timeout of 1 s and exceeds it the first time',
    options: { timeoutMs: 1_000, maxAttempts: 2 },
  },
  { handler: 'sync-stock', message: 'always fails: dead after 3 attempts' },
  { handler: 'import-file', message: 'fails with a non-retryable error: dead at once' },
  {
    handler: 'nightly-report',
    message: 'is due in 6 s, to the millisecond',
    options: { delayMs: 6_000, priority: 8 },
  },
  {
    handler: 'newsletter',
    message: 'is due in an hour and is cancelled now',
    options: { delayMs: 3_600_000 },
    thenCancel: true,
  },
]
