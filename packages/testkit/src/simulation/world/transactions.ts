/**
 * A handler's transaction that settles its run: its write and the success, or neither
 * (succeedWith).
 */
import { PunctualError } from '@punctual/core/errors'
import type { ClaimedRun } from '@punctual/core/ports'
import { attemptOutcomes } from '@punctual/core/run'
import { retrying } from '@punctual/store'
import {
  findSettled,
  type MemoryStoreOptions,
  type MemoryWorkStore,
  settle,
} from '@punctual/store/memory'
import type { TransactionRunner } from '@punctual/worker'

const LOOK_DEADLINE_MS = 30_000

export function transactionsOf(
  options: MemoryStoreOptions,
  work: MemoryWorkStore,
): TransactionRunner {
  return async (run, startedAgoMs, perform) => {
    const value = await perform({ query: async () => ({ rows: [] }) })
    try {
      await options.line.call('transact', () => succeed(options, run, startedAgoMs()))
    } catch (error) {
      if ((error as { code?: string }).code === 'lease_lost') throw error
      if (!(await isSettled(options, run))) throw error
    }
    // The run is committed: if this fails, the reaper does it.
    const settlement = { kind: 'succeeded', run, startedAgoMs: 0, output: null } as const
    await work.follow([settlement]).catch(() => undefined)
    return value
  }
}

function succeed({ db, horizonMs }: MemoryStoreOptions, run: ClaimedRun, startedAgoMs: number) {
  const settlement = { kind: 'succeeded', run, startedAgoMs, output: null } as const
  const { refused } = settle(db, [settlement], horizonMs)
  if (refused.length > 0)
    throw new PunctualError('lease_lost', `Run ${run.id} was given to another worker.`)
  db.effects.insert(`${run.id} ${run.fence}`, { runId: run.id, fence: run.fence })
}

/** After a lost commit reply, the stored outcome decides: it carries the fence. */
function isSettled({ db, line, clock }: MemoryStoreOptions, run: ClaimedRun): Promise<boolean> {
  return retrying({ clock, deadlineMs: LOOK_DEADLINE_MS }, () =>
    line.call('find-settled', () =>
      findSettled(db, [run.id]).some(
        ({ fence, outcome }) => fence === run.fence && outcome === attemptOutcomes.succeeded,
      ),
    ),
  )
}
