import { PunctualError } from '@punctual/core/errors'
import { afterEach, expect, test } from 'vitest'
import { createApp } from './app.ts'

const apps: ReturnType<typeof createApp>[] = []
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

/** Counts the errors that are logged while a request fails in this way. */
async function errorsLoggedFor(failure: Error): Promise<{ status: number; errors: number }> {
  const errors: unknown[] = []
  const app = createApp({
    health: () => ({ version: 'test', uptimeSeconds: 1 }),
    ready: async () => ({ ready: true }),
    metrics: async () => '',
    service: () => {
      throw failure
    },
    logger: { error: (fields) => void errors.push(fields), debug: () => undefined },
  })
  apps.push(app)
  const { statusCode } = await app.inject({
    url: '/v1/jobs',
    headers: { authorization: 'Bearer x' },
  })
  return { status: statusCode, errors: errors.length }
}

test('a tenant that exceeds its share cannot fill the log with errors', async () => {
  const busy = new PunctualError('server_busy', 'The tenant uses its share.')
  expect(await errorsLoggedFor(busy)).toEqual({ status: 503, errors: 0 })
})

test('a request that fails unexpectedly is logged as an error', async () => {
  expect(await errorsLoggedFor(new Error('a fault'))).toEqual({ status: 500, errors: 1 })
})
