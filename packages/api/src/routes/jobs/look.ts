/** The next slots of a job, the decisions for earlier ones, and their reasons. */
import type { SlotExplanation } from '@punctual/core/job'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, exactly, idParam, instant, nullable, text, unlisted } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const looks = { method: 'GET', scope: 'read', tag: 'Jobs', params: idParam } as const

export const previewJob = defineRoute({
  ...looks,
  path: '/jobs/:id/preview',
  summary: 'Lists the next slots of a job',
  query: exactly({
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 5 })),
    from: Type.Optional(instant),
    around_changes: Type.Optional(
      Type.Boolean({ description: 'Also the slots around the next clock changes.' }),
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
  summary: 'Lists the decisions for the slots of a job, oldest first',
  query: exactly({
    from: Type.Optional(instant),
    to: Type.Optional(instant),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 100 })),
    cursor: Type.Optional(text(200, { description: 'The `next_cursor` of the page before.' })),
  }),
  answer: answer({
    next_cursor: nullable(
      Type.String({ description: 'A page may be empty although it has a successor.' }),
    ),
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
  problems: ['job_not_found', 'invalid_cursor'],
  async handle({ tenant, params, query }) {
    const { slots, nextCursor } = await tenant.jobs.slotPage(params.id, query)
    return { slots: toWire(slots), next_cursor: nextCursor }
  },
})

export const explainJob = defineRoute({
  ...looks,
  path: '/jobs/:id/explain',
  summary: 'Explains why a job ran, or did not, at an instant',
  query: exactly({ at: Type.Optional(instant) }),
  answer: unlisted<SlotExplanation>(),
  problems: ['job_not_found'],
  async handle({ tenant, params, query }) {
    return toWire(await tenant.jobs.explain(params.id, query.at))
  },
})
