/** Groups: runs submitted together, with a callback when all have ended. */
import { PunctualError } from '@punctual/core/errors'
import type { Group } from '@punctual/core/run'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import type { TenantService } from '../../ports/service.ts'
import { newRun, submissionOf } from '../../wire/run-input.ts'
import { answer, anyJson, exactly, nullable, text } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const summary = {
  id: Type.String(),
  name: nullable(Type.String()),
  total: Type.Integer(),
  open: Type.Boolean(),
  done: Type.Boolean(),
  created_at: Type.String(),
  closed_at: nullable(Type.String()),
  done_at: nullable(Type.String()),
  callback_run_id: nullable(Type.String()),
}
const group = answer({
  ...summary,
  counts: Type.Record(Type.String(), Type.Integer()),
  ended: Type.Integer(),
})
const groups = answer({ groups: Type.Array(answer(summary)) })
const members = answer({
  runs: Type.Array(answer({ id: Type.String(), place: Type.Integer(), state: Type.String() })),
})
const params = exactly({ id: text(64) })
const runs = Type.Array(newRun, { maxItems: 1_000 })
const tag = 'Groups'

async function findGroup({ groups }: TenantService, id: string): Promise<Group> {
  const found = await groups.get(id)
  if (found) return found
  throw new PunctualError('group_not_found', `No group has the id ${JSON.stringify(id)}.`, { id })
}

export const createGroup = defineRoute({
  ...{ method: 'POST', path: '/groups', scope: 'submit', tag, status: 201, writes: 'always' },
  summary: 'Submits runs as a group',
  body: exactly({
    name: Type.Optional(text(128)),
    runs,
    open: Type.Optional(Type.Boolean({ description: 'Runs can be added until it is closed.' })),
    on_done: Type.Optional(
      exactly({ handler: text(128), payload: Type.Optional(anyJson('Its own payload.')) }),
    ),
  }),
  answer: group,
  async handle({ tenant, body, caller }) {
    const submissions = body.runs.map((run) => {
      const { handler, payload, options } = submissionOf(run, caller.keyName)
      return { handler, payload, ...(options && { options }) }
    })
    const made = await tenant.groups.submit({
      runs: submissions,
      ...(body.name !== undefined && { name: body.name }),
      ...(body.open !== undefined && { open: body.open }),
      ...(body.on_done !== undefined && { onDone: body.on_done }),
    })
    return toWire(await findGroup(tenant, made.id))
  },
})

export const listGroups = defineRoute({
  ...{ method: 'GET', path: '/groups', scope: 'read', tag, summary: 'Lists groups, newest first' },
  query: exactly({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 50 })),
  }),
  answer: groups,
  async handle({ tenant, query }) {
    return toWire({ groups: await tenant.groups.list(query) })
  },
})

export const getGroup = defineRoute({
  ...{
    method: 'GET',
    path: '/groups/:id',
    scope: 'read',
    tag,
    summary: 'Returns the progress of a group',
  },
  params,
  answer: group,
  problems: ['group_not_found'],
  async handle({ tenant, params: { id } }) {
    return toWire(await findGroup(tenant, id))
  },
})

export const listGroupRuns = defineRoute({
  ...{
    method: 'GET',
    path: '/groups/:id/runs',
    scope: 'read',
    tag,
    summary: 'Lists the runs of a group',
  },
  params,
  query: exactly({
    from: Type.Optional(Type.Integer({ minimum: 0, description: 'Starts at this place.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 })),
  }),
  answer: members,
  problems: ['group_not_found'],
  async handle({ tenant, params: { id }, query }) {
    return toWire({ runs: await tenant.groups.runs(id, query) })
  },
})

export const closeGroup = defineRoute({
  ...{ method: 'POST', path: '/groups/:id/close', scope: 'submit', tag, writes: 'always' },
  summary: 'Closes a group to further runs; its callback runs when all have ended',
  params,
  answer: answer({ closed: Type.Boolean({ description: 'False when it was already closed.' }) }),
  problems: ['group_not_found'],
  async handle({ tenant, params: { id } }) {
    return { closed: await tenant.groups.close(id) }
  },
})
