/** `runs.resolve`: an operator states the outcome of an unknown run. */
import { refuseOption } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import {
  type Resolution,
  type ResolveResult,
  resolutionNames,
  resolutions,
} from '@punctual/core/run'
import type { OpenTransaction, PostgresStore } from '@punctual/store'
import { type HandlingOptions, handledBy } from './handling.ts'

export async function resolveRun(
  store: PostgresStore,
  tenantId: number,
  id: string,
  as: Resolution,
  options: HandlingOptions,
  transaction: OpenTransaction | null,
): Promise<ResolveResult> {
  if (typeof as !== 'string' || !Object.hasOwn(resolutions, as))
    refuseOption('as', resolutionNames.join(' or '), as)
  const how = handledBy(options)
  const answer = await store.resolution.resolve(id, as, how, tenantId, transaction)
  if (answer.result !== 'not_unknown') return answer
  const run = await store.runs.find(id, tenantId)
  if (!run)
    throw new PunctualError(
      'run_not_found',
      `No run has the id ${id}. It may be older than the retention, or belong to another schema.`,
      { id },
    )
  if ('resolved' in run && run.resolved)
    return { result: 'already_resolved', resolved: run.resolved, replayedAs: run.replayedAs }
  return { result: 'not_unknown', state: run.state }
}
