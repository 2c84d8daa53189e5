/**
 * A cron replacement: scheduled commands from a list in a file. The list is declared as a whole, so
 * a command removed from it no longer runs. On two machines with one database, each slot still runs
 * once.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Punctual } from 'punctual'

interface Line {
  readonly name: string
  readonly cron: string
  readonly timezone?: string
  readonly command: string
}

const file = process.argv[2] ?? new URL('commands.json', import.meta.url)
const lines: readonly Line[] = JSON.parse(await readFile(file, 'utf8'))
const run = promisify(execFile)

const punctual = await Punctual.start()

punctual.handler('command', async (payload: { name: string; command: string }, ctx) => {
  const slot = ctx.job?.slotAt?.toISOString() ?? 'by hand'
  const { stdout, stderr } = await run('sh', ['-c', payload.command], { signal: ctx.signal })
  if (stdout) ctx.log.info(stdout)
  if (stderr) ctx.log.warn(stderr)
  console.log(`${payload.name} (${slot}): ${stdout.trim()}`)
})

const { created, updated, removed } = await punctual.jobs.sync(
  'cron-replacement',
  lines.map(({ name, command, ...when }) => ({
    ...{ name, ...when, handler: 'command', payload: { name, command } },
    // Like cron: missed slots are not caught up, and failures are not retried.
    ...{ misfire: 'none' as const, maxAttempts: 1 },
  })),
  { prune: true },
)
console.log(`${lines.length} commands`, { created, updated, removed })

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void punctual.stop())
