/**
 * A worker of the campaign: a handler for each kind, and a line in the ledger for each start and
 * end.
 */
import { type HandlerContext, Punctual, type TransactionClient } from 'punctual'
import { type EffectLine, LedgerWriter, monotonicMs } from '../ledger.ts'
import { type ChaosPayload, kinds } from '../workload.ts'
import { libraryOptions, readSettings, serveUntilStopped } from './child-settings.ts'

const settings = readSettings()
const ledger = new LedgerWriter(settings.directory, settings.name)
const punctual = await Punctual.start({ ...libraryOptions(settings), roles: ['worker'] })

/**
 * Not part of what handlers are promised; where it is there, the checker can tell attempts apart.
 */
function claimOf(ctx: HandlerContext): string | null {
  const { run } = ctx as unknown as { run?: { claim?: bigint } }
  return run?.claim?.toString() ?? null
}

function lineOf(payload: ChaosPayload, ctx: HandlerContext): Omit<EffectLine, 'what'> {
  return {
    run: ctx.runId,
    attempt: ctx.attempt,
    claim: claimOf(ctx),
    ask: payload.ask,
    job: payload.job,
    slotMs: ctx.job?.slotAt?.getTime() ?? null,
    dueMs: ctx.dueAt.getTime(),
    kind: payload.kind,
    process: settings.name,
    pid: process.pid,
    wallMs: Date.now(),
    monotonicMs: monotonicMs(),
  }
}

async function perform(payload: ChaosPayload, ctx: HandlerContext): Promise<unknown> {
  const output = { claim: claimOf(ctx), attempt: ctx.attempt, pid: process.pid }
  // waits: the handler takes as long as the campaign says
  if (payload.takesMs > 0) await new Promise((resolve) => setTimeout(resolve, payload.takesMs))
  if (ctx.attempt <= payload.throwsUntil) throw new Error('It was told to fail.')
  if (payload.kind === 'committed') await leaveEffect(ctx.tx, ctx)
  if (payload.kind !== 'transactional') return output
  return ctx.transaction(async (tx) => {
    await leaveEffect(tx, ctx)
    return output
  })
}

async function leaveEffect(tx: TransactionClient, ctx: HandlerContext): Promise<void> {
  const text = 'insert into chaos_effects (run_id, attempt, pid) values ($1, $2, $3)'
  await tx.query(text, [ctx.runId, ctx.attempt, process.pid])
}

for (const kind of kinds)
  punctual.handler(kind, async (payload: ChaosPayload, ctx) => {
    ledger.append({ ...lineOf(payload, ctx), what: 'start' })
    let how: EffectLine['how'] = 'threw'
    try {
      const output = await perform(payload, ctx)
      how = 'returned'
      return output
    } finally {
      ledger.append({ ...lineOf(payload, ctx), what: 'end', how })
    }
  })
serveUntilStopped(() => punctual.stop())
