/** Queues: their waiting and running runs, and pauses. */
import Type, { type Static } from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, exactly, name, nullable, text } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const pause = answer({
  queue: nullable(Type.String({ description: 'Null when all queues are paused.' })),
  paused_at: Type.String(),
  note: nullable(Type.String()),
  paused_by: nullable(Type.String()),
})

const queue = answer({
  queue: Type.String(),
  paused: Type.Boolean(),
  pause: Type.Unsafe<Static<typeof pause> | null>({ anyOf: [pause, { type: 'null' }] }),
  due: Type.Integer({
    description: 'Due and waiting for a worker; counted up to 10,000 per lane.',
  }),
  scheduled: Type.Integer({ description: 'Due within about a minute.' }),
  running: Type.Integer(),
  oldest_ms: Type.Number({ description: 'How long the oldest due run has waited.' }),
  ended_last_minute: Type.Record(Type.String(), Type.Integer()),
  lanes: Type.Array(
    answer({
      handler: Type.String(),
      priority: Type.Integer(),
      paused: Type.Boolean(),
      due: Type.Integer(),
      waiting: Type.Integer(),
      oldest_ms: Type.Number(),
      running: Type.Integer(),
    }),
  ),
})

const queues = answer({ queues: Type.Array(queue) })
const queueParam = exactly({ queue: name })
const changed = answer({
  queue: nullable(Type.String()),
  paused: Type.Boolean(),
  changed: Type.Boolean(),
})
const why = exactly({ note: Type.Optional(text(1_024, { description: 'The reason.' })) })
const tag = 'Queues'

export const listQueues = defineRoute({
  ...{
    method: 'GET',
    path: '/queues',
    scope: 'read',
    tag,
    summary: 'Lists queues with their depth, age and pauses',
  },
  answer: queues,
  async handle({ tenant }) {
    return toWire({ queues: await tenant.queues.list() })
  },
})

export const pauseQueue = defineRoute({
  ...{ method: 'POST', path: '/queues/:queue/pause', scope: 'operate', tag, writes: 'always' },
  summary: 'Pauses a queue: workers claim nothing from it, and its runs finish',
  params: queueParam,
  body: why,
  answer: changed,
  async handle({ tenant, params, body, actor }) {
    const by = actor.name ?? 'unknown'
    const done = await tenant.queues.pause(params.queue, { ...body, by })
    return { queue: params.queue, paused: true, changed: done }
  },
})

export const resumeQueue = defineRoute({
  ...{ method: 'POST', path: '/queues/:queue/resume', scope: 'operate', tag, writes: 'always' },
  summary: 'Resumes a queue',
  params: queueParam,
  answer: changed,
  async handle({ tenant, params }) {
    const done = await tenant.queues.resume(params.queue)
    return { queue: params.queue, paused: false, changed: done }
  },
})

export const pauseAll = defineRoute({
  ...{ method: 'POST', path: '/pause', scope: 'operate', tag, writes: 'always' },
  summary: 'Pauses all queues of the tenant',
  body: why,
  answer: changed,
  async handle({ tenant, body, actor }) {
    const done = await tenant.queues.pauseAll({ ...body, by: actor.name ?? 'unknown' })
    return { queue: null, paused: true, changed: done }
  },
})

export const resumeAll = defineRoute({
  ...{ method: 'POST', path: '/resume', scope: 'operate', tag, writes: 'always' },
  summary: 'Ends the pause of all queues; queues paused one by one stay paused',
  answer: changed,
  async handle({ tenant }) {
    return { queue: null, paused: false, changed: await tenant.queues.resumeAll() }
  },
})
