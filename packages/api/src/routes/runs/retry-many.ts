/** POST /runs/retry: retries all dead or unknown runs that match, up to a limit. */
import { limits, PunctualError } from '@punctual/core/errors'
import type { RunPageFilter, RunState } from '@punctual/core/run'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import type { TenantService } from '../../ports/service.ts'
import { retryFilter, retryFilterOf } from '../../wire/run-filter.ts'
import { answer, exactly, text } from '../../wire/schemas.ts'
import { manyAnswer, manyFields, manyOptions } from './steer-many.ts'

const PAGES_MAX = 100
const RETRIABLE: readonly RunState[] = ['dead', 'unknown']

interface Found {
  readonly ids: readonly string[]
  readonly complete: boolean
}

/** The runs of one state that were not retried, up to a limit. */
async function findRuns(
  tenant: TenantService,
  filter: RunPageFilter,
  state: RunState,
  most: number,
): Promise<Found> {
  const ids: string[] = []
  const unretried = {
    ...filter,
    states: [state],
    ...(state === 'dead' && { notRetried: true as const }),
  }
  let cursor: string | null = null
  for (let pages = 0; pages < PAGES_MAX && ids.length < most; pages++) {
    const limit = Math.min(limits.pageSize, most - ids.length)
    const page = await tenant.runs.page(unretried, { limit, ...(cursor !== null && { cursor }) })
    ids.push(...page.runs.filter((run) => run.replayedAs === null).map(({ id }) => id))
    cursor = page.nextCursor
    if (cursor === null) return { ids, complete: true }
  }
  return { ids, complete: false }
}

function statesOf({ states = ['dead'] }: RunPageFilter): readonly RunState[] {
  const other = states.find((state) => !RETRIABLE.includes(state))
  if (other === undefined) return RETRIABLE.filter((state) => states.includes(state))
  const message = `state must be of ${RETRIABLE.join(', ')}; got ${other}, which cannot be retried.`
  throw new PunctualError('invalid_option', message, { field: 'filter.state' })
}

interface Handling {
  readonly note?: string
  readonly by?: string
}

async function retryUnknown(tenant: TenantService, ids: readonly string[], how: Handling) {
  const answers = []
  for (const id of ids) answers.push(await tenant.runs.resolve(id, 'run-again', how))
  return answers.map((answered) => (answered.result === 'resolved' ? answered.replayedAs : null))
}

async function retryDead(tenant: TenantService, ids: readonly string[], how: Handling) {
  const answers = await tenant.deadLetters.replayEach(ids, how)
  return answers.map((answered) => (answered.result === 'replayed' ? answered.id : null))
}

export const retryRuns = defineRoute({
  method: 'POST',
  path: '/runs/retry',
  scope: 'operate',
  tag: 'Runs',
  summary: 'Retries all runs that match',
  description:
    'Retries dead runs that were neither replayed nor discarded, and with `state` also unknown ones. Runs whose key belongs to a live run are unchanged, and counted as `missed`.',
  body: exactly({
    filter: Type.Optional(retryFilter),
    ...manyFields,
    note: Type.Optional(
      text(limits.descriptionLength, { description: 'The reason; stored with each.' }),
    ),
  }),
  answer: answer({
    ...manyAnswer,
    retried: Type.Integer(),
    missed: Type.Integer({ description: 'Already handled, or their key is in use.' }),
    run_ids: Type.Array(Type.String(), { description: 'The new runs.' }),
  }),
  writes: 'always',
  problems: ['job_not_found'],
  async handle({ tenant, body, actor: { name: by } }) {
    const filter = retryFilterOf(body.filter)
    const { all, dryRun, limit } = manyOptions(body)
    if (Object.keys(filter).length === 0 && !all)
      throw new PunctualError(
        'invalid_option',
        'filter must have at least one condition, or `all` must be true.',
        { field: 'filter' },
      )
    const { note } = body
    const how = { ...(note !== undefined && { note }), ...(by !== undefined && { by }) }
    let matched = 0
    let complete = true
    const made: (string | null)[] = []
    for (const state of statesOf(filter)) {
      const found = await findRuns(tenant, filter, state, limit - matched)
      matched += found.ids.length
      complete &&= found.complete
      const retry = state === 'dead' ? retryDead : retryUnknown
      if (!dryRun) made.push(...(await retry(tenant, found.ids, how)))
    }
    const runIds = made.filter((id) => id !== null)
    return {
      ...{ dry_run: dryRun, matched, complete },
      ...{ retried: runIds.length, missed: made.length - runIds.length, run_ids: runIds },
    }
  },
})
