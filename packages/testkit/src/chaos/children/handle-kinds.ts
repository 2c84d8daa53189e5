/**
 * The campaign's handlers, for every kind of worker: each start and end is a line in the ledger.
 */
import type { HandlerContext, RegisterHandler, TransactionClient } from 'punctual'
import type { ChildSettings } from '../plan/child-settings.ts'
import { type EffectLine, LedgerWriter, monotonicMs } from '../plan/ledger.ts'
import type { ChaosPayload, Kind } from '../plan/workload.ts'

/** Not part of the handler API; where it exists, it lets the checker tell attempts apart. */
function fenceOf(ctx: HandlerContext): string | null {
  const { run } = ctx as unknown as { run?: { fence?: bigint } }
  return run?.fence?.toString() ?? null
}

function lineOf(
  name: string,
  payload: ChaosPayload,
  ctx: HandlerContext,
): Omit<EffectLine, 'what'> {
  return {
    run: ctx.runId,
    attempt: ctx.attempt,
    fence: fenceOf(ctx),
    ask: payload.ask,
    job: payload.job,
    slotMs: ctx.job?.slotAt?.getTime() ?? null,
    dueMs: ctx.dueAt.getTime(),
    kind: payload.kind,
    process: name,
    pid: process.pid,
    wallMs: Date.now(),
    monotonicMs: monotonicMs(),
  }
}

async function perform(payload: ChaosPayload, ctx: HandlerContext): Promise<unknown> {
  const output = { fence: fenceOf(ctx), attempt: ctx.attempt, pid: process.pid }
  // waits: the handler takes as long as the payload says
  if (payload.takesMs > 0) await new Promise((resolve) => setTimeout(resolve, payload.takesMs))
  if (ctx.attempt <= payload.throwsUntil) throw new Error('failed on purpose')
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

/** Returns a handler for each of these kinds. */
export function handleKinds(
  register: RegisterHandler,
  kinds: readonly Kind[],
  { directory, name }: ChildSettings,
): void {
  const ledger = new LedgerWriter(directory, name)
  for (const kind of kinds)
    register(kind, async (payload: ChaosPayload, ctx) => {
      ledger.append({ ...lineOf(name, payload, ctx), what: 'start' })
      let how: EffectLine['how'] = 'threw'
      try {
        const output = await perform(payload, ctx)
        how = 'returned'
        return output
      } finally {
        ledger.append({ ...lineOf(name, payload, ctx), what: 'end', how })
      }
    })
}
