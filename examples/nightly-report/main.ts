/**
 * A nightly report at two o'clock on the day that has just ended in Berlin. After an outage the
 * missed reports are caught up, one a day: the slot determines the day, whenever the run starts.
 * With `--now` it reports once and exits.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Punctual } from 'punctual'

const ZONE = 'Europe/Berlin'
const sales = process.env.SALES ?? new URL('sales.csv', import.meta.url)
const reports = process.env.REPORTS ?? 'reports'

/** The day before this instant in the zone's calendar, such as 2026-11-15. */
function dayBefore(at: Date): string {
  return new Date(at.getTime() - 86_400_000).toLocaleDateString('sv-SE', { timeZone: ZONE })
}

const punctual = await Punctual.start({ timezone: ZONE })

punctual.handler('sales-report', async (payload: { day?: string } | null, ctx) => {
  const day = payload?.day ?? dayBefore(ctx.job?.slotAt ?? ctx.dueAt)
  const lines = (await readFile(sales, 'utf8')).trim().split('\n').slice(1)
  const amounts = lines.map((line) => line.split(',')).filter(([date]) => date === day)
  const total = amounts.reduce((sum, [, amount]) => sum + Number(amount), 0)
  await mkdir(reports, { recursive: true })
  // Every attempt writes the same file, so writing it twice is harmless.
  await writeFile(join(reports, `${day}.txt`), `${day}: ${amounts.length} sales, ${total} EUR\n`)
  console.log(`reported ${day}`)
  return { day, total }
})

await punctual.jobs.upsert({
  name: 'sales-report',
  handler: 'sales-report',
  cron: '0 2 * * *',
  misfire: { policy: 'all', maxAgeMs: 7 * 86_400_000 },
  overlap: 'queue-all',
})

const [next] = await punctual.jobs.preview('sales-report', { count: 1 })
console.log(`next at ${next?.local}`)

if (process.argv.includes('--now')) {
  const day = process.argv.at(-1)
  const payload = /^\d{4}-\d\d-\d\d$/.test(day ?? '') ? { day } : {}
  await punctual.runs.waitFor(await punctual.jobs.trigger('sales-report', { payload }))
  await punctual.stop()
} else
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void punctual.stop())
