/** Limits: how many runs of a queue, or of the tenant, run concurrently and start in a period. */
import { limits as bounds } from '@punctual/core/errors'
import type { LimitInForce } from '@punctual/core/queue'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, exactly, name, nullable, unlisted } from '../../wire/schemas.ts'
import { fromWire, toWire } from '../../wire/snake.ts'

const limit = answer({
  queue: nullable(Type.String({ description: 'Null for all queues together.' })),
  concurrency: nullable(Type.Integer()),
  rate: unlisted<LimitInForce['rate']>(),
  ageing_ms: nullable(Type.Integer()),
  weight: nullable(Type.Integer()),
  running: Type.Integer(),
  free_at: nullable(Type.String()),
  set_at: Type.String(),
  set_by: nullable(Type.String()),
})

const all = answer({ limits: Type.Array(limit) })

const fields = {
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: bounds.concurrencyMax })),
  rate: Type.Optional(
    exactly({
      limit: Type.Integer({ minimum: 1, maximum: bounds.rateMax }),
      per: Type.Optional(Type.Union([Type.String(), Type.Integer({ minimum: 1 })])),
      burst: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  ageing_ms: Type.Optional(
    Type.Integer({ minimum: bounds.ageingMsMin, maximum: bounds.ageingMsMax }),
  ),
}

const queueParam = exactly({ queue: name })
const removed = answer({ removed: Type.Boolean() })
const tag = 'Limits'

export const listLimits = defineRoute({
  ...{
    method: 'GET',
    path: '/limits',
    scope: 'read',
    tag,
    summary: 'Lists limits and their current use',
  },
  answer: all,
  async handle({ tenant }) {
    return toWire({ limits: await tenant.limits.list() })
  },
})

export const setQueueLimit = defineRoute({
  ...{ method: 'PUT', path: '/queues/:queue/limits', scope: 'operate', tag, writes: 'always' },
  summary: 'Sets the limits of a queue, replacing earlier ones',
  params: queueParam,
  body: exactly(fields, { minProperties: 1 }),
  answer: all,
  async handle({ tenant, params, body, actor }) {
    const by = actor.name ?? 'unknown'
    await tenant.limits.set({ ...fromWire(body), queue: params.queue, by })
    return toWire({ limits: await tenant.limits.list() })
  },
})

export const removeQueueLimit = defineRoute({
  ...{ method: 'DELETE', path: '/queues/:queue/limits', scope: 'operate', tag, writes: 'always' },
  summary: 'Removes the limits of a queue',
  params: queueParam,
  answer: removed,
  async handle({ tenant, params }) {
    return { removed: await tenant.limits.remove(params.queue) }
  },
})
