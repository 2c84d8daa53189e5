/**
 * A polite crawler: it fetches at most two pages of a site at a time and twenty a second, in total
 * over all processes. Only this process knows which pages it has seen.
 */
import { Punctual, RetryAfterError, type Submitted } from 'punctual'

const start = process.argv[2]
if (start === undefined) throw new Error('usage: main.ts <start address>')
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
// A page submits its links before its run ends, so the list grows during the loop until the last
// page.
for (const run of runs) await punctual.runs.waitFor(run)
console.log(`crawled ${seen.size} pages`)
await punctual.stop()
