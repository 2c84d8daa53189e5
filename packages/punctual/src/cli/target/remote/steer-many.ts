/**
 * Changes many runs: the API limits the size of a batch, so requests are repeated until none is
 * left.
 */
import type { AnswerOf, BodyOf, Client } from '@punctual/client'
import { limits } from '@punctual/core/errors'
import type { BulkResult, RunFilter } from '@punctual/core/run'
import type { BulkOptions } from '../../../runs/bulk.ts'
import type { OperatedRuns } from '../../runtime/operator.ts'
import { notOverHttp } from './not-over-http.ts'
import { filterOf } from './run-filter-to-wire.ts'

const ROUNDS_MAX = 100_000

type Body = BodyOf<'POST /runs/promote'>
type Answer = AnswerOf<'POST /runs/promote'>
type Many = 'cancelMany' | 'promoteMany' | 'rescheduleMany' | 'reprioritiseMany'

export function steerMany({ runs }: Client): Pick<OperatedRuns, Many> {
  return {
    cancelMany(filter, { reason, ...options } = {}) {
      return inRounds((body) => runs.cancelMany({ ...body, reason }), filter, options)
    },
    promoteMany(filter, options = {}) {
      return inRounds((body) => runs.promoteMany(body), filter, options)
    },
    rescheduleMany(filter, runAt, options = {}) {
      const run_at = runAt.toISOString()
      return inRounds((body) => runs.rescheduleMany({ ...body, run_at }), filter, options)
    },
    reprioritiseMany: async () => notOverHttp('Reprioritising many runs'),
  }
}

async function inRounds<Answers extends string>(
  send: (body: Body) => Promise<Answer>,
  filter: RunFilter,
  { dryRun = false, all, limit = Number.POSITIVE_INFINITY, onProgress, signal }: BulkOptions,
): Promise<BulkResult<Answers>> {
  const answers = {} as Record<Answers, number>
  const sum = { matched: 0, states: {}, answers, sample: [] as string[] }
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const most = Math.min(limits.batchSize, limit - sum.matched)
    const answer = await send({ filter: filterOf(filter), all, dry_run: dryRun, limit: most })
    sum.matched += answer.matched
    addTo(sum.states, answer.states)
    addTo(sum.answers, answer.answers)
    sum.sample = [...sum.sample, ...answer.sample].slice(0, 10)
    onProgress?.({ matched: sum.matched, done: dryRun ? 0 : sum.matched })
    const { complete } = answer
    const over = dryRun || answer.matched === 0 || sum.matched >= limit || signal?.aborted
    if (complete || over) return { ...sum, dryRun, complete }
  }
  return { ...sum, dryRun, complete: false }
}

function addTo(sum: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count
}
