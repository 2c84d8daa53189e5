import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PunctualError } from '@punctual/core/errors'
import type { Caller } from '@punctual/core/identity'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type AppLogger,
  type AppOptions,
  createApp,
  type Ports,
  problemCatalogue,
  type TrustedProxies,
} from '../src/index.ts'

const ports: Ports = {
  health: () => ({ version: '1.2.3', uptimeSeconds: 7 }),
  ready: async () => ({ ready: true }),
  metrics: async () => '# HELP punctual_up 1 while the database answers.\npunctual_up 1\n',
}

function anApp(options: Partial<Parameters<typeof createApp>[0]> = {}) {
  const app = createApp({ ...ports, ...options })
  onTestFinished(() => app.close())
  return app
}

describe('probes', () => {
  test('a living process answers /healthz regardless of its database', async () => {
    const app = anApp({ ready: () => Promise.reject(new Error('must not be asked')) })
    const answer = await app.inject('/healthz')
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ status: 'ok', version: '1.2.3', uptime_seconds: 7 })
  })

  test('a ready process answers /readyz with 200', async () => {
    const answer = await anApp().inject('/readyz')
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ready' }])
  })

  test('a process that is not ready answers 503 and names the reason', async () => {
    const app = anApp({
      ready: async () => ({ ready: false, reason: 'draining', detail: 'It is shutting down.' }),
    })
    const answer = await app.inject('/readyz')
    expect(answer.statusCode).toBe(503)
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(answer.json()).toMatchObject({
      type: 'urn:punctual:error:not_ready',
      code: 'not_ready',
      status: 503,
      reason: 'draining',
      detail: 'It is shutting down.',
    })
  })

  test('metrics are served in the text format of Prometheus', async () => {
    const answer = await anApp().inject('/metrics')
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(answer.body).toContain('punctual_up 1')
  })

  test('metrics of a process that is still starting are a 503', async () => {
    const answer = await anApp({ metrics: async () => null }).inject('/metrics')
    expect([answer.statusCode, answer.json().reason]).toEqual([503, 'starting'])
  })
})

describe('metrics that name queues and handlers', () => {
  const metricsToken = 't'.repeat(32)
  const metrics = async ({ named }: { named: boolean }) => (named ? 'all 1\n' : 'open 1\n')
  const scraped = async (options: Partial<AppOptions>, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization }
    return anApp({ metrics, ...options }).inject({ url: '/metrics', headers })
  }

  test('are served with the token only; a wrong token is refused', async () => {
    expect((await scraped({ metricsToken }, `Bearer ${metricsToken}`)).body).toBe('all 1\n')
    expect((await scraped({ metricsToken })).body).toMatch(/^open 1\n# .*--metrics-token.*\n$/)
    for (const wrong of [metricsToken, `Bearer ${metricsToken}x`, 'Bearer ', 'Basic dDp0']) {
      const answer = await scraped({ metricsToken }, wrong)
      expect([answer.statusCode, answer.json().code]).toEqual([401, 'unauthenticated'])
      expect(answer.body).not.toContain(metricsToken)
    }
  })

  test('are served to nobody by a process without a token', async () => {
    expect((await scraped({})).body).toMatch(/^open 1\n/)
    const answer = await scraped({}, 'Bearer undefined')
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'unauthenticated'])
  })

  test('are served to everybody when API keys are switched off', async () => {
    const admission = { everybody: {} as Caller }
    expect((await scraped({ admission, metricsToken })).body).toBe('all 1\n')
  })
})

describe('without API keys', () => {
  const answerTo = (headers: Record<string, string>, url = '/healthz') =>
    anApp({ admission: { everybody: {} as Caller } }).inject({ url, headers })

  test.for(['localhost', 'LocalHost:7070', '127.0.0.1:7070', '127.8.9.10', '[::1]:7070', '[::1]'])(
    'a request to the host %s is answered',
    async (host) => {
      expect((await answerTo({ host })).statusCode).toBe(200)
      for (const origin of [`http://${host}`, `https://${host}`])
        expect((await answerTo({ host, origin })).statusCode).toBe(200)
    },
  )

  test.for([
    ...['evil.example:7070', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.7'],
    ...['127.evil.example', '[::2]:7070', 'localhost:7070:1', 'localhost@evil.example'],
  ])('a request to the host %s is refused: its name may be an attacker’s', async (host) => {
    for (const url of ['/healthz', '/metrics', '/v1/queues', '/nothing']) {
      const answer = await answerTo({ host }, url)
      expect(answer.json()).toMatchObject({
        ...{ status: 403, code: 'origin_not_allowed', field: 'Host' },
        detail: expect.stringContaining('localhost, 127.0.0.1 or [::1]'),
      })
    }
  })

  test.for([
    ...['http://evil.example', 'null', 'http://localhost:3000', 'http://127.0.0.1:7070'],
    ...['http://localhost:7070.evil.example', 'file://localhost:7070', ''],
  ])('a request from a page of the origin %j is refused', async (origin) => {
    const answer = await answerTo({ host: 'localhost:7070', origin })
    expect(answer.json()).toMatchObject({ code: 'origin_not_allowed', field: 'Origin' })
  })

  test('headers of a proxy change nothing', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'localhost' }
    expect((await answerTo(headers)).statusCode).toBe(403)
  })
})

test('with API keys, a request may name any host and origin', async () => {
  const headers = { host: 'punctual.example', origin: 'https://dashboard.example' }
  expect((await anApp().inject({ url: '/healthz', headers })).statusCode).toBe(200)
})

describe('the address of a client', () => {
  const addressWith = async (trustProxy: TrustedProxies, forwarded: string) => {
    const app = anApp({ trustProxy })
    app.get('/ip', async ({ ip }) => ip)
    const headers = { 'x-forwarded-for': forwarded }
    return (await app.inject({ url: '/ip', headers, remoteAddress: '10.0.0.2' })).body
  }

  test.for([
    [false, '10.0.0.2'],
    [1, '203.0.113.9'],
    [2, '198.51.100.7'],
    [['10.0.0.2'], '203.0.113.9'],
    [['10.0.0.0/8'], '203.0.113.9'],
    [['10.0.0.0/8', '203.0.113.9'], '198.51.100.7'],
    [['192.168.0.1'], '10.0.0.2'],
  ] as const)(
    'with the proxies %j is %s, not the one that the client claims',
    async ([proxies, expected]) => {
      // The client claims the first, each proxy appends the address that connected to it.
      expect(await addressWith(proxies, '1.2.3.4, 198.51.100.7, 203.0.113.9')).toBe(expected)
    },
  )
})

describe('errors are problem documents', () => {
  test('an unknown address is a 404 that names it without its query', async () => {
    const answer = await anApp().inject('/nothing?token=secret')
    expect(answer.statusCode).toBe(404)
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(answer.json()).toMatchObject({ code: 'route_not_found', status: 404 })
    expect(answer.json().detail).toBe('GET /nothing is not served here.')
  })

  test('an error of Punctual keeps its code, status and field', async () => {
    const app = anApp()
    app.get('/boom', async () => {
      throw new PunctualError('invalid_option', 'priority must be …', { field: 'priority' })
    })
    const answer = await app.inject('/boom')
    expect(answer.json()).toMatchObject({
      status: 400,
      code: 'invalid_option',
      title: problemCatalogue.invalid_option.meaning,
      field: 'priority',
    })
  })

  test('an unexpected error is logged in full, and the client gets none of it', async () => {
    const logged: [object, string][] = []
    const logger: AppLogger = {
      debug: () => undefined,
      error: (fields, message) => logged.push([fields, message]),
    }
    const app = anApp({ logger })
    app.get('/boom', async () => {
      throw new Error('password is hunter2')
    })
    const answer = await app.inject({ url: '/boom', headers: { 'x-request-id': 'r-1' } })
    expect(answer.statusCode).toBe(500)
    expect(answer.body).not.toContain('hunter2')
    expect(answer.json()).toMatchObject({ code: 'internal_error', request_id: 'r-1' })
    expect(logged).toMatchObject([
      [{ requestId: 'r-1', err: new Error('password is hunter2') }, 'a request failed'],
    ])
  })

  test('an unreachable database is not described to the client, but is in the log', async () => {
    const logged: object[] = []
    const logger: AppLogger = { debug: () => undefined, error: (fields) => logged.push(fields) }
    const app = anApp({ logger })
    const fault = new PunctualError('database_unavailable', 'db.internal:5432 refused postgres')
    app.get('/boom', async () => {
      throw fault
    })
    const answer = await app.inject('/boom')
    expect(answer.json()).toMatchObject({ status: 503, code: 'database_unavailable' })
    expect(answer.body).not.toMatch(/internal|5432|postgres/)
    expect(logged).toMatchObject([{ err: fault }])
  })

  test.for([
    ['a body over the limit', '{"text":"long"}', 'application/json', 413, 'request_too_large'],
    ['a body that is not JSON', '{', 'application/json', 400, 'invalid_payload'],
    ['a body of another type', '<a/>', 'text/xml', 415, 'media_type_unsupported'],
  ] as const)('%s is refused', async ([, payload, type, status, code]) => {
    const app = anApp({ bodyLimitBytes: 10 })
    app.post('/echo', async (request) => request.body)
    const answer = await app.inject({
      method: 'POST',
      url: '/echo',
      payload,
      headers: { 'content-type': type },
    })
    expect(answer.json()).toMatchObject({ status, code })
  })

  test('an address that cannot be decoded is refused in the same form', async () => {
    const answer = await anApp().inject('/%zz')
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_request' })
  })
})

describe('every answer', () => {
  test.for(['/healthz', '/nothing', '/%zz'])('for %s has protective headers', async (url) => {
    const { headers } = await anApp().inject(url)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
  })

  test('repeats a harmless request id and replaces any other', async () => {
    const app = anApp()
    const idFor = async (id: string) =>
      (await app.inject({ url: '/healthz', headers: { 'x-request-id': id } })).headers[
        'x-request-id'
      ]
    expect(await idFor('trace-42')).toBe('trace-42')
    expect(await idFor('a b')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await idFor('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/)
  })
})

test('closing waits for requests in progress and not for idle connections', async () => {
  let enter = () => {}
  let release = () => {}
  const entered = new Promise<void>((resolve) => {
    enter = resolve
  })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const app = createApp(ports)
  app.get('/slow', async () => {
    enter()
    await released
    return { done: true }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const get = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port, path }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode))
      })
      sent.once('error', reject).end()
    })
  expect(await get('/healthz')).toBe(200)
  const slow = get('/slow')
  await entered
  const closed = app.close()
  release()
  expect(await slow).toBe(200)
  await closed
})
