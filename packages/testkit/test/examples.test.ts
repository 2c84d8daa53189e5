/** The examples work: each is started as its README says, on its own database, and observed. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { ExampleProcess } from './example-process.ts'

let database: TestDatabase
let folder: string

beforeEach(async () => {
  database = await migratedDatabase()
  folder = mkdtempSync(join(tmpdir(), 'punctual-example-'))
})
afterEach(async () => {
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

function example(name: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const main = join('examples', name, 'main.ts')
  const all = { ...env, DATABASE_URL: database.url }
  return new ExampleProcess(['--import', 'tsx', main, ...args], { env: all })
}

describe('the example', () => {
  it('mail-app answers at once and sends one mail', async () => {
    const app = example('mail-app')
    const [, url] = await app.line(/listening on (\S+)/)
    const body = 'ada@example.com'
    const answer = await fetch(`${url}/sign-up`, { method: 'POST', body })
    expect(answer.status).toBe(202)
    const { id } = (await answer.json()) as { id: string }
    await app.line(/^mail to ada@example\.com \(attempt 1\)$/)
    await eventually('the mail is sent', async () =>
      (await (await fetch(`${url}/mails/${id}`)).text()).includes('succeeded'),
    )
    expect((await fetch(`${url}/sign-up`, { method: 'POST', body: 'nobody' })).status).toBe(400)
    expect(await app.stop()).toBe(0)
  })

  it('nightly-report reports the requested day', async () => {
    const report = example('nightly-report', ['--now', '2026-11-15'], { REPORTS: folder })
    expect(await report.ended).toBe(0)
    expect(report.lines[0]).toMatch(/next at \d{4}-\d\d-\d\dT02:00/)
    const text = readFileSync(join(folder, '2026-11-15.txt'), 'utf8')
    expect(text).toBe('2026-11-15: 2 sales, 125 EUR\n')
  })

  it('crawler fetches each page once, at most two at a time', async () => {
    const site = new Site()
    const crawler = example('crawler', [await site.listen()])
    expect(await crawler.ended).toBe(0)
    expect(crawler.lines.at(-1)).toBe('crawled 6 pages')
    expect([...site.served].sort()).toEqual(['/', '/1', '/2', '/3', '/4', '/5'])
    expect(site.atOnceMax).toBeLessThanOrEqual(2)
    expect(site.refused).toBe(1)
  })

  it('image-pipeline makes every size of every picture', async () => {
    const dots = Buffer.alloc(128 * 32 * 3, 7)
    writeFileSync(join(folder, 'sky.ppm'), Buffer.concat([Buffer.from('P6 128 32 255\n'), dots]))
    writeFileSync(join(folder, 'none.ppm'), 'hello')
    const published = join(folder, 'published')
    const pipeline = example('image-pipeline', [folder, published])
    expect(await pipeline.ended).toBe(0)
    expect(readdirSync(published).sort()).toEqual(['sky-16.ppm', 'sky-64.ppm'])
    expect(readFileSync(join(published, 'sky-16.ppm'), 'latin1')).toMatch(/^P6 16 4 255\n/)
    expect(pipeline.lines).toContain('failed: none.ppm is not a picture')
  })

  it('cron-replacement runs commands on schedule', async () => {
    const file = join(folder, 'commands.json')
    const tick = { name: 'tick', cron: '* * * * * *', command: 'echo from the shell' }
    writeFileSync(file, JSON.stringify([tick]))
    const cron = example('cron-replacement', [file])
    await cron.line(/^tick \(\S+:\d\d\.000Z\): from the shell$/)
    expect(await cron.stop()).toBe(0)
  })
})

/** Six pages that link to each other; one of them first asks to be fetched later. */
class Site {
  readonly served: string[] = []
  atOnceMax = 0
  refused = 0
  #atOnce = 0
  readonly #server: Server = createServer((request, response) => {
    this.atOnceMax = Math.max(this.atOnceMax, ++this.#atOnce)
    response.once('close', () => this.#atOnce--)
    if (request.url === '/3' && this.refused++ === 0)
      return void response.writeHead(429, { 'retry-after': '0' }).end()
    this.refused = Math.min(this.refused, 1)
    this.served.push(request.url ?? '')
    const links = [1, 2, 3, 4, 5].map((n) => `<a href="/${n}">${n}</a>`)
    response.end(`${links.join('')}<a href="https://elsewhere.example/">elsewhere</a>`)
  })

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void this.#server.close())
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }
}
