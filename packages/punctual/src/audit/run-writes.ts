/**
 * Records changes of runs: single ones with their previous state, bulk ones with their filter and
 * counts.
 */
import type { BulkResult, Run } from '@punctual/core/run'
import type { BulkOptions } from '../runs/bulk.ts'
import { idOf, type RunReference } from '../runs/reference.ts'
import type { Runs } from '../runs/runs.ts'
import type { ManyWrites, Recorded } from './control-writes.ts'
import type { WriteScope, WritesOf } from './recorded-methods.ts'

function target(run: Run) {
  return { kind: 'run', id: run.id, name: run.job?.name ?? run.handler }
}

async function steered<T>(
  { store, tenantId }: WriteScope,
  reference: RunReference,
  work: () => Promise<T>,
  entryOf: (run: Run, result: T) => Omit<Recorded, 'target'> | null,
) {
  const run = await store.runs.find(idOf(reference), tenantId)
  const result = await work()
  const entry = run ? entryOf(run, result) : null
  return { result, entries: run && entry ? [{ target: target(run), ...entry }] : [] }
}

const nextAt = (run: Run) => ('nextAt' in run ? run.nextAt : null)

function many<Answer extends string>(
  verb: string,
  filter: unknown,
  options: (BulkOptions & { reason?: string }) | undefined,
  more: object = {},
): ManyWrites<BulkResult<Answer>> | null {
  const { dryRun, limit, all, reason } = options ?? {}
  if (dryRun) return null
  return {
    action: `run.${verb}_many`,
    target: { kind: 'runs', id: null, name: null },
    request: { filter, limit, all, ...more },
    note: reason,
    summarise: ({ matched, states, answers, complete }) => ({
      matched,
      states,
      answers,
      complete,
    }),
  }
}

export const runWrites: WritesOf<Runs> = {
  cancel: {
    one: (scope, [run, reason], work) =>
      steered(scope, run, work, ({ state: before }, { result, state }) =>
        result === 'already_finished' || before === state
          ? null
          : { action: 'run.cancel', before: { state: before }, after: { state }, note: reason },
      ),
  },
  reschedule: {
    one: (scope, [run, runAt], work) =>
      steered(scope, run, work, (was, result) =>
        result === 'rescheduled'
          ? { action: 'run.reschedule', before: { nextAt: nextAt(was) }, after: { nextAt: runAt } }
          : null,
      ),
  },
  promote: {
    one: (scope, [run], work) =>
      steered(scope, run, work, (was, result) =>
        result === 'promoted'
          ? { action: 'run.promote', before: { nextAt: nextAt(was) }, after: { nextAt: 'now' } }
          : null,
      ),
  },
  reprioritise: {
    one: (scope, [run, priority], work) =>
      steered(scope, run, work, (was, result) =>
        result === 'reprioritised'
          ? { action: 'run.reprioritise', before: { priority: was.priority }, after: { priority } }
          : null,
      ),
  },
  edit: {
    one: (scope, [run, change], work) =>
      steered(scope, run, work, ({ payload }, result) =>
        result === 'edited'
          ? { action: 'run.edit', before: { payload }, after: { payload: change.payload } }
          : null,
      ),
  },
  resolve: {
    one: (scope, [run, as, options], work) =>
      steered(scope, run, work, ({ state }, answer) => {
        if (answer.result !== 'resolved') return null
        const { replayedAs } = answer
        const after = { resolved: as, replayedAs, ...(options?.by && { by: options.by }) }
        return { action: 'run.resolve', before: { state }, after, note: options?.note }
      }),
  },
  cancelMany: { many: ([filter, options]) => many('cancel', filter, options) },
  promoteMany: { many: ([filter, options]) => many('promote', filter, options) },
  rescheduleMany: {
    many: ([filter, runAt, options]) => many('reschedule', filter, options, { runAt }),
  },
  reprioritiseMany: {
    many: ([filter, priority, options]) => many('reprioritise', filter, options, { priority }),
  },
}
