/** What the sample submits: between them the runs succeed, fail, retry, time out, die and are cancelled. */
import type { SubmitOptions } from '@punctual/core/submit'

export interface Scene {
  readonly handler: string
  readonly about: string
  readonly payload?: unknown
  readonly options?: SubmitOptions
  readonly thenCancel?: true
}

export const story: readonly Scene[] = [
  {
    handler: 'welcome-email',
    about: 'simply works',
    payload: { to: 'ada@example.com' },
    options: { labels: { campaign: 'welcome' } },
  },
  { handler: 'charge-card', about: 'fails once, and is retried', payload: { amount: 42 } },
  { handler: 'fetch-rates', about: 'asks to be retried in 2 s' },
  { handler: 'resize-image', about: 'takes a while, logs and reports progress' },
  {
    handler: 'slow-export',
    about: 'may take 1 s and takes longer the first time',
    options: { timeoutMs: 1_000, maxAttempts: 2 },
  },
  { handler: 'sync-stock', about: 'never works: dead after 3 attempts' },
  { handler: 'import-file', about: 'says that retrying cannot help: dead at once' },
  {
    handler: 'nightly-report',
    about: 'is due in 6 s, to the millisecond',
    options: { delayMs: 6_000, priority: 8 },
  },
  {
    handler: 'newsletter',
    about: 'is due in an hour, and cancelled now',
    options: { delayMs: 3_600_000 },
    thenCancel: true,
  },
]
