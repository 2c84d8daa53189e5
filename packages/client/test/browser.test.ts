/** The client as it is built, in a page of a real browser. */
import { describeWithServer } from '@punctual/testkit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpKit } from '../../punctual/test/kit/http-kit.ts'
import { type FrontServer, startFrontServer } from './front-server.ts'

/** A name as of an intranet: to a browser a page from there over HTTP is not a secure context. */
const INTRANET = 'punctual.test'

interface Asked {
  readonly url: string
  readonly apiKey: string
}

/** What a page of the same origin does: submits, reads a list over several pages, and follows events. */
async function useClient({ url, apiKey, handler }: Asked & { handler: string }) {
  const client = createClient({ url, apiKey })
  const ids: string[] = []
  for (let n = 0; n < 3; n++)
    ids.push((await client.runs.submit({ handler, payload: { n }, delay: '1h' })).id)
  const listed: string[] = []
  for await (const { id } of client.runs.list({ handler, limit: 2 })) listed.push(id)
  const heard = client.activity({ types: ['run.cancelled'] }).next()
  let event: { type: string } | undefined
  void heard.then(({ value }) => {
    event = value ?? undefined
  })
  // The stream begins when it is open: what is cancelled before is not told.
  while (event === undefined) {
    const { id } = await client.runs.submit({ handler: 'cancelled', delay: '1h' })
    await client.runs.cancel(id)
    // waits: for the stream, which tells within a moment
    await new Promise((passed) => setTimeout(passed, 50))
  }
  const refused = client.jobs.get('none').then(() => null)
  const { status, code } = await refused.catch((error) => error)
  return {
    listed: listed.sort().join() === ids.sort().join(),
    ...{ event: event.type, status, code, secure: isSecureContext },
  }
}

/** What a page of another origin comes to. */
async function callFromElsewhere({ url, apiKey }: Asked) {
  const client = createClient({ url, apiKey, retries: 0 })
  return client.runs
    .submit({ handler: 'elsewhere' })
    .catch(({ status, code }: { status: number; code: string }) => ({ status, code }))
}

// What the page has, and this program has not.
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
      // Without a sandbox, which a container has no rights for: it visits nobody but this test.
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

  test('a page of another origin is kept from the API by the browser', async () => {
    const page = await open('127.0.0.1')
    const told = await page.evaluate(callFromElsewhere, { url: kit.url, apiKey: kit.admin })
    expect(told).toEqual({ status: 0, code: 'connection_failed' })
    expect(await kit.punctual.tenant(2).runs.list({ handler: 'elsewhere' })).toEqual([])
    await page.close()
  })
})
