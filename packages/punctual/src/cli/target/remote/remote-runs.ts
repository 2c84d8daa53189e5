/** Runs of a server, behind the interface of the library. */
import { type Client, PunctualHttpError } from '@punctual/client'
import { PunctualError } from '@punctual/core/errors'
import type {
  CancelAnswer,
  FinishedRun,
  LogLine,
  Run,
  RunExplanation,
  RunSummary,
} from '@punctual/core/run'
import { type Target, targetOfNames } from '@punctual/core/target'
import { idOf } from '../../../runs/reference.ts'
import type { OperatedRuns } from '../../runtime/operator.ts'
import { libraryNames, snake } from './library-names.ts'
import { nullWhenMissing } from './null-when-missing.ts'
import { queryOf } from './run-filter-to-wire.ts'
import { steerMany } from './steer-many.ts'

const PAGE = 1_000

export function remoteRuns(client: Client): OperatedRuns {
  return { ...reading(client), ...steering(client), ...steerMany(client) }
}

type Reading = Pick<OperatedRuns, 'get' | 'list' | 'logs' | 'explain' | 'waitFor'>

function reading({ runs }: Client): Reading {
  return {
    async get(run) {
      const found = await nullWhenMissing(runs.get(idOf(run)))
      if (found === null) return null
      const target = targetOfNames(found.target, snake) as Target
      return { ...(libraryNames(found) as Run), target }
    },
    async list({ limit = 50, days: _, ...filter } = {}) {
      const query = { ...queryOf(filter), limit: Math.min(limit, PAGE) }
      return libraryNames(await runs.list(query).all(limit)) as RunSummary[]
    },
    async logs(run, { after, last } = {}) {
      const from = after === undefined ? undefined : `${after.attempt}.${after.seq}`
      const lines = []
      for await (const line of runs.logs(idOf(run), { after: from, last })) lines.push(line)
      return libraryNames(lines) as LogLine[]
    },
    async explain(run) {
      return libraryNames(await runs.explain(idOf(run))) as RunExplanation
    },
    async waitFor(run, { signal, timeoutMs } = {}) {
      const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
      const either = AbortSignal.any([signal, timeout].filter((given) => given !== undefined))
      try {
        return libraryNames(await runs.waitFor(idOf(run), { signal: either })) as FinishedRun
      } catch (error) {
        if (!timeout?.aborted) throw error
        const message = `Run ${idOf(run)} did not finish within ${timeoutMs} ms. It continues.`
        throw new PunctualError('wait_timeout', message, { id: idOf(run) })
      }
    },
  }
}

type Steering = Pick<OperatedRuns, 'cancel' | 'reschedule' | 'promote' | 'reprioritise'>

function steering({ runs }: Client): Steering {
  /** Turns an error of the API into the result that the library returns. */
  async function tooLate(id: string, error: unknown) {
    const codes = ['already_finished', 'state_conflict']
    if (!(error instanceof PunctualHttpError) || !codes.includes(error.code)) throw error
    const { state } = await runs.get(id)
    if (error.code === 'already_finished') return { result: 'already_finished', state } as const
    return { result: state === 'waiting' ? 'waiting' : 'running', state } as const
  }
  const steered = async (id: string, answer: Promise<{ result: string }>) =>
    (await answer.catch((error: unknown) => tooLate(id, error))).result as never
  return {
    async cancel(run, reason) {
      const id = idOf(run)
      const answer = runs.cancel(id, { reason })
      const { result, state } = await answer.catch((error: unknown) => tooLate(id, error))
      return { result, state } as CancelAnswer
    },
    reschedule(run, runAt) {
      return steered(idOf(run), runs.reschedule(idOf(run), { run_at: runAt.toISOString() }))
    },
    promote: (run) => steered(idOf(run), runs.promote(idOf(run))),
    reprioritise: (run, priority) => steered(idOf(run), runs.reprioritise(idOf(run), { priority })),
  }
}
