/** The targets of runs that await them: they survive every node, and report once, twice or never. */
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import type { MemoryAwaitingRuns } from '@punctual/store/memory'
import type { Behaviour } from './handlers.ts'
import type { Machine, Timeline } from './timeline.ts'

export interface TargetsOptions {
  readonly timeline: Timeline
  readonly machine: Machine
  readonly awaiting: MemoryAwaitingRuns
}

const failure = { name: 'Error', message: 'the target failed on purpose' }

const succeeded = (run: ClaimedRun): Settlement => ({
  ...{ kind: 'succeeded', run, startedAgoMs: 1, output: null },
})
const failed = (run: ClaimedRun): Settlement => {
  const base = { run, startedAgoMs: 1, outcome: 'failed', failure } as const
  const again = run.attempt + 1 < run.maxAttempts
  return again
    ? { ...base, kind: 'retry', delayMs: 100 }
    : { ...base, kind: 'dead', reason: 'attempts_exhausted' }
}

export class Targets {
  readonly #options: TargetsOptions
  /** Reports on their way: nothing is judged before they have arrived. */
  pending = 0

  constructor(options: TargetsOptions) {
    this.#options = options
  }

  /** A target received a request. A report whose answer is lost is not repeated. */
  readonly receive = (runId: string, attempt: number, behaviour: Behaviour): void => {
    const { timeline, machine, awaiting } = this.#options
    const { reportsAfterMs, reports } = behaviour
    if (reportsAfterMs === null || reports === 'never') return
    const settlement = reports === 'failure' ? failed : succeeded
    for (let times = reports === 'twice' ? 2 : 1; times > 0; times--) {
      this.pending++
      timeline.after(reportsAfterMs, machine, () => {
        awaiting
          .report(runId, attempt, settlement)
          .catch(() => undefined)
          .finally(() => {
            this.pending--
          })
      })
    }
  }
}
