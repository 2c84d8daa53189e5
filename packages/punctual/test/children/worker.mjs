/**
 * A worker process for tests: reads its options from the environment, reports each start on stdout
 * as `start <run> <attempt>`, and does what the payload says.
 */
import { appendFileSync } from 'node:fs'
import { Punctual } from 'punctual'

const punctual = await Punctual.start({
  databaseUrl: process.env.DATABASE_URL,
  roles: ['worker'],
  worker: { leaseMs: Number(process.env.LEASE_MS ?? 1_000), concurrency: 10 },
})

const say = (line) => process.stdout.write(`${line}\n`)

punctual.handler('work', async (payload, ctx) => {
  say(`start ${ctx.runId} ${ctx.attempt}`)
  if (payload.hangUntilAttempt && ctx.attempt < payload.hangUntilAttempt)
    await new Promise(() => undefined)
  if (payload.effect) appendFileSync(payload.effect, `${ctx.idempotencyKey}\n`)
  if (payload.killUntilAttempt && ctx.attempt < payload.killUntilAttempt)
    process.kill(process.pid, 'SIGKILL')
  if (payload.kill) process.kill(process.pid, 'SIGKILL')
  if (payload.hoard) {
    const hoard = []
    for (;;) hoard.push(new Array(100_000).fill(ctx.attempt))
  }
  if (payload.blockMs) {
    const end = performance.now() + payload.blockMs
    while (performance.now() < end);
  }
  // waits: the handler takes as long as the test says
  if (payload.waitMs) await new Promise((resolve) => setTimeout(resolve, payload.waitMs))
  return { attempt: ctx.attempt, pid: process.pid }
})
say('ready')
process.on('SIGTERM', async () => {
  await punctual.stop({ drainMs: 1_000 })
  process.exit(0)
})
