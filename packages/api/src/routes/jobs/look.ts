/** What is to come of a job, what was decided, and why. */
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, exactly, idParam, moment, nullable } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const looks = { method: 'GET', scope: 'read', tag: 'Jobs', params: idParam } as const

export const previewJob = defineRoute({
  ...looks,
  path: '/jobs/:id/preview',
  summary: 'Its next slots',
  query: exactly({
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 5 })),
    from: Type.Optional(moment),
    around_changes: Type.Optional(
      Type.Boolean({ description: 'Also those around the next changes of the clocks.' }),
    ),
  }),
  answer: answer({ slots: Type.Array(Type.Object({ at: Type.String(), local: Type.String() })) }),
  problems: ['job_not_found'],
  async handle({ tenant, params, query }) {
    const { count, from, around_changes: aroundChanges } = query
    const slots = await tenant.jobs.preview(params.id, {
      ...(count !== undefined && { count }),
      ...(from !== undefined && { from }),
      ...(aroundChanges !== undefined && { aroundChanges }),
    })
    return { slots: slots.map(({ at, local }) => ({ at: at.toISOString(), local })) }
  },
})

export const listSlots = defineRoute({
  ...looks,
  path: '/jobs/:id/slots',
  summary: 'What was decided for its slots, oldest first',
  query: exactly({
    from: Type.Optional(moment),
    to: Type.Optional(moment),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 100 })),
  }),
  answer: answer({
    slots: Type.Array(
      answer({
        slot_at: Type.String(),
        from_at: nullable(Type.String()),
        slots: Type.Integer(),
        decision: nullable(Type.String()),
        reason: nullable(Type.String()),
        run_id: nullable(Type.String()),
        decided_at: nullable(Type.String()),
      }),
    ),
  }),
  problems: ['job_not_found'],
  async handle({ tenant, params, query }) {
    return { slots: toWire(await tenant.jobs.slots(params.id, query)) as never }
  },
})

export const explainJob = defineRoute({
  ...looks,
  path: '/jobs/:id/explain',
  summary: 'Why it ran, or did not, at an instant',
  query: exactly({ at: Type.Optional(moment) }),
  answer: Type.Unknown(),
  problems: ['job_not_found'],
  async handle({ tenant, params, query }) {
    return toWire(await tenant.jobs.explain(params.id, query.at))
  },
})
