/**
 * A crawler that is polite: of one site two pages at a time, and no more than twenty a second, however many processes
 * crawl it. Which pages were seen is known to this one alone.
 */
import { Punctual, RetryAfterError, type Submitted } from 'punctual'

const start = process.argv[2]
if (start === undefined) throw new Error('give the address to begin with: main.ts http://…')
const { origin } = new URL(start)
const polite = {
  concurrency: { key: origin, limit: 2 },
  rate: { key: origin, limit: 20, burst: 2 },
}
const seen = new Set<string>()
const runs: Submitted[] = []

const punctual = await Punctual.start()

const crawl = punctual.handler('crawl', async (payload: { url: string }, ctx) => {
  const response = await fetch(payload.url, { signal: ctx.signal })
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? 1)
    throw new RetryAfterError(seconds * 1000)
  }
  const html = await response.text()
  const links = [...html.matchAll(/href="([^"#]+)/g)].map(([, to = '']) => new URL(to, payload.url))
  await follow(links.filter((link) => link.origin === origin).map((link) => link.href))
  console.log(`${response.status} ${payload.url}`)
})

async function follow(urls: readonly string[]): Promise<void> {
  const found = [...new Set(urls)].filter((url) => !seen.has(url))
  for (const url of found) seen.add(url)
  const payloads = found.map((url) => ({ url }))
  runs.push(...(await crawl.submitMany(payloads, { ...polite, maxAttempts: 5 })))
}

await follow([start])
// A page submits its links before it ends, so that the list grows while it is walked, and ends with the last page.
for (const run of runs) await punctual.runs.waitFor(run)
console.log(`crawled ${seen.size} pages`)
await punctual.stop()
