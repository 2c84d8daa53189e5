/** The built client, in a page of a real browser. */
import { describeWithServer } from '@punctual/testkit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpKit } from '../../punctual/test/kit/http-kit.ts'
import { type FrontServer, startFrontServer } from './front-server.ts'

/** An intranet name: a page from there over HTTP is not a secure context. */
const INTRANET = 'punctual.test'

interface Access {
  readonly url: string
  readonly apiKey: string
}

/** Runs in a page of the same origin: submits, reads a list in pages, and follows events. */
async function useClient({ url, apiKey, handler }: Access & { handler: string }) {
  const client = createClient({ url, apiKey })
  const ids: string[] = []
  for (let n = 0; n < 3; n++)
    ids.push((await client.runs.submit({ handler, payload: { n }, delay: '1h' })).id)
  const listed: string[] = []
  for await (const { id } of client.runs.list({ handler, limit: 2 })) listed.push(id)
  const received = client.activity({ types: ['run.cancelled'] }).next()
  let event: { type: string } | undefined
  void received.then(({ value }) => {
    event = value ?? undefined
  })
  // Runs cancelled before the stream is open do not appear in it.
  while (event === undefined) {
    const { id } = await client.runs.submit({ handler: 'cancelled', delay: '1h' })
    await client.runs.cancel(id)
    // waits: the stream delivers within about 50 ms
    await new Promise((passed) => setTimeout(passed, 50))
  }
  const refused = client.jobs.get('none').then(() => null)
  const { status, code } = await refused.catch((error) => error)
  return {
    listed: listed.sort().join() === ids.sort().join(),
    ...{ event: event.type, status, code, secure: isSecureContext },
  }
}

/** Runs in a page of another origin. */
async function callFromElsewhere({ url, apiKey }: Access) {
  const client = createClient({ url, apiKey, retries: 0 })
  return client.runs
    .submit({ handler: 'elsewhere' })
    .catch(({ status, code }: { status: number; code: string }) => ({ status, code }))
}

// Globals of the page, which this program does not have.
declare const createClient: typeof import('../src/index.ts').createClient
declare const isSecureContext: boolean

describeWithServer('chromium', (server) => {
  let kit: HttpKit
  let front: FrontServer
  let browser: Browser

  beforeAll(async () => {
    kit = await HttpKit.open({ roles: ['reaper'] })
    front = await startFrontServer(kit.url)
    browser = await chromium.launch({
      executablePath: server.program('chromium'),
      // Containers lack the rights for a sandbox, and the browser visits only this test's server.
      args: ['--no-sandbox', `--host-resolver-rules=MAP ${INTRANET} 127.0.0.1`],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await front?.close()
    await kit?.close()
  })

  async function open(host: string): Promise<Page> {
    const page = await browser.newPage()
    await page.goto(`http://${host}:${front.port}/`)
    return page
  }

  test.for([
    ['127.0.0.1', true],
    [INTRANET, false],
  ] as const)('a page from %s submits, reads lists and follows events', async ([host, secure]) => {
    const page = await open(host)
    const handler = `from-${host}`
    const url = `http://${host}:${front.port}`
    expect(await page.evaluate(useClient, { url, apiKey: kit.admin, handler })).toEqual({
      ...{ listed: true, event: 'run.cancelled', status: 404, code: 'job_not_found', secure },
    })
    await page.close()
  })

  test('the browser blocks a page of another origin from the API', async () => {
    const page = await open('127.0.0.1')
    const failure = await page.evaluate(callFromElsewhere, { url: kit.url, apiKey: kit.admin })
    expect(failure).toEqual({ status: 0, code: 'connection_failed' })
    expect(await kit.punctual.tenant(2).runs.list({ handler: 'elsewhere' })).toEqual([])
    await page.close()
  })
})
