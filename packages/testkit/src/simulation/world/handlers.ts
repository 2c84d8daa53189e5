/** The handler. A run's payload holds its behaviour, so every attempt follows the same plan. */
import type { Clock } from '@punctual/core/clock'
import type { ClaimedRun } from '@punctual/core/ports'
import type { MemoryDatabase } from '@punctual/store/memory'
import type { HandlerContext, RegisteredHandler } from '@punctual/worker'
import type { Ledger } from '../judges/ledger.ts'
import type { Machine } from './timeline.ts'

export interface Behaviour {
  readonly takesMs: number
  /** The number of first attempts that throw. */
  readonly fails: number
  /** Stops when its signal is aborted. */
  readonly heeds: boolean
  /** Writes its effect in the transaction that settles the run. */
  readonly transacts: boolean
  /** Saves a checkpoint half-way. */
  readonly checkpoints: boolean
  /** The number of first attempts that kill their machine. */
  readonly kills: number
  /** Leaves the run to a target, which reports so much later; null: it returns by itself. */
  readonly reportsAfterMs: number | null
  /** How the target reports: `never` leaves it to the deadline. */
  readonly reports: 'success' | 'failure' | 'twice' | 'never'
}

export interface HandlerHost {
  readonly machine: Machine
  readonly clock: Clock
  readonly db: MemoryDatabase
  readonly ledger: Ledger
  readonly nowMs: () => number
  readonly onKill: () => void
  /** The target received a request of an attempt. */
  readonly onSent: (runId: string, attempt: number, behaviour: Behaviour) => void
}

export const HANDLER = 'work'

/** How long a report is awaited. */
const TARGET_MS = 4_000

export function handlersOf(host: HandlerHost): ReadonlyMap<string, RegisteredHandler> {
  const run = (behaviour: Behaviour, context: HandlerContext) => perform(host, behaviour, context)
  return new Map([[HANDLER, { name: HANDLER, run }]])
}

async function perform(host: HandlerHost, behaviour: Behaviour, context: HandlerContext) {
  const { machine, clock, db, ledger } = host
  if (!machine.alive) return new Promise(() => undefined)
  const { run } = context as unknown as { run: ClaimedRun }
  const lease = db.leases.get(run.id)
  const marked = lease?.fence === run.fence && lease.startedMs !== null
  if (machine.stopped) ledger.afterStop.add(run.id)
  const effect = ledger.started(run, machine.name, host.nowMs(), marked)
  if (context.attempt <= behaviour.kills) host.onKill()
  const signal = behaviour.heeds ? context.signal : undefined
  ledger.resumed(run.id, context.lastCheckpoint as number | null)
  await clock.sleep(behaviour.takesMs / 2, signal)
  if (behaviour.checkpoints) {
    await context.checkpoint(context.attempt)
    ledger.keeps(run.id, context.attempt)
  }
  await clock.sleep(behaviour.takesMs / 2, signal)
  if (context.attempt <= behaviour.fails || context.signal.aborted) {
    effect.end = 'threw'
    throw new Error('failed on purpose')
  }
  if (behaviour.transacts) await context.transaction(async () => undefined)
  effect.end = 'returned'
  if (behaviour.reportsAfterMs === null || behaviour.transacts) return undefined
  host.onSent(run.id, context.attempt, behaviour)
  return context.awaitCallback({ timeoutMs: TARGET_MS })
}
