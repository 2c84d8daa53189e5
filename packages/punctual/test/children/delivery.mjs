/**
 * A worker process for delivery tests. The payload's `steps` define what each attempt does (the
 * last entry applies to all later attempts), and every effect is a line in a file unknown to
 * Punctual.
 */
import { appendFileSync } from 'node:fs'
import { Punctual } from 'punctual'

const punctual = await Punctual.start({
  databaseUrl: process.env.DATABASE_URL,
  roles: ['worker'],
  migrate: false,
  worker: {
    leaseMs: Number(process.env.LEASE_MS ?? 1_000),
    concurrency: Number(process.env.CONCURRENCY ?? 10),
  },
})

const say = (line) => process.stdout.write(`${line}\n`)

const acts = {
  effect: (ctx) => appendFileSync(process.env.EFFECTS, `${ctx.runId} ${ctx.attempt}\n`),
  hang: () => new Promise(() => undefined),
  throw: () => {
    throw new Error('failed on purpose')
  },
  // waits: the handler takes as long as the test says
  wait: (_, ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  checkpoint: (ctx, state) => ctx.checkpoint(state),
  write: (ctx) => ctx.tx.query('insert into effects values ($1, $2)', [ctx.runId, ctx.attempt]),
}

punctual.handler('work', async ({ steps }, ctx) => {
  say(`start ${ctx.runId} ${ctx.attempt}`)
  for (const [act, argument] of steps[ctx.attempt - 1] ?? steps.at(-1))
    await acts[act](ctx, argument)
  return { attempt: ctx.attempt, checkpoint: ctx.lastCheckpoint }
})
say('ready')
