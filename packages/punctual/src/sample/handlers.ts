/** The handlers of the sample. Each shows one thing that can happen to a run. */
import { setTimeout as delay } from 'node:timers/promises'
import { NonRetryableError, RetryAfterError } from '@punctual/core/errors'
import type { HandlerFunction } from '@punctual/worker'
import type { Punctual } from '../punctual.ts'

const handlers: Readonly<Record<string, HandlerFunction<Record<string, unknown> | null>>> = {
  'welcome-email': (payload, { log }) => {
    const to = payload?.to ?? 'nobody'
    log.info('sending', { to })
    return { sentTo: to }
  },

  'charge-card': (_, { attempt }) => {
    if (attempt === 1) throw new Error('the bank did not answer')
    return { charged: true }
  },

  'fetch-rates': (_, { attempt }) => {
    if (attempt === 1) throw new RetryAfterError(2_000, 'too many requests, retry after 2 s')
    return { EUR: 1, USD: 1.09 }
  },

  'resize-image': async (_, { log, progress, signal }) => {
    const sizes = ['small', 'medium', 'large']
    for (const [done, size] of sizes.entries()) {
      log.info(`creating size ${size}`)
      await delay(700, undefined, { signal })
      progress((done + 1) / sizes.length)
    }
    return { sizes }
  },

  'slow-export': async (_, { attempt, signal }) => {
    if (attempt === 1)
      await delay(60_000, undefined, { signal }).catch(() => signal.throwIfAborted())
    return { rows: 1_200 }
  },

  'sync-stock': () => {
    throw new Error('the warehouse refused the connection')
  },

  'import-file': () => {
    throw new NonRetryableError('line 7 is not valid CSV')
  },

  'nightly-report': () => ({ pages: 12 }),
  newsletter: () => ({ sent: 3 }),
  heartbeat: (_, { job }) => ({ slot: job?.slotAt }),
}

export function registerSampleHandlers(punctual: Punctual): readonly string[] {
  for (const [name, run] of Object.entries(handlers)) punctual.handler(name, run)
  return Object.keys(handlers)
}
