/** The installation: the caller and the workers. */
import type { WorkerProcess } from '@punctual/core/queue'
import Type from 'typebox'
import { type Call, defineRoute } from '../../http/define-route.ts'
import { answer, exactly, nullable, text, unlisted } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const me = answer({
  key_id: Type.String(),
  key_name: Type.String(),
  tenant: nullable(Type.String()),
  scopes: Type.Array(Type.String()),
})

export const getMe = defineRoute({
  ...{
    method: 'GET',
    path: '/me',
    scope: 'any',
    tag: 'Installation',
    summary: 'Returns the caller',
  },
  answer: me,
  async handle({ caller }) {
    const { keyId, keyName, tenantName, scopes } = caller
    return { key_id: keyId, key_name: keyName, tenant: tenantName, scopes: [...scopes] }
  },
})

const worker = answer({
  id: Type.String(),
  state: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  version: Type.String(),
  capacity: Type.Integer(),
  handlers: Type.Array(Type.String()),
  queues: Type.Array(Type.String()),
  labels: Type.Record(Type.String(), Type.String()),
  running: Type.Integer(),
  ended_last_hour: Type.Record(Type.String(), Type.Integer(), {
    description: 'Runs it ended in the last hour, by state.',
  }),
  failure_rate: nullable(
    Type.Number({
      description:
        'Of the last hour: runs that died or were lost, divided by those that succeeded, died or were lost. From 0 to 1; null without such runs. Retried attempts do not count.',
    }),
  ),
  stuck: unlisted<WorkerProcess['stuck']>(),
  opened_at: Type.String(),
  renewed_at: nullable(Type.String()),
  drain_asked_at: nullable(Type.String()),
  ended_at: nullable(Type.String()),
  fenced: Type.Boolean(),
})
const workers = answer({ workers: Type.Array(worker) })
const params = exactly({ id: text(20) })
const changed = answer({ id: Type.String(), changed: Type.Boolean() })
const tag = 'Workers'

/** All workers for a key of the installation; those that serve only its tenant for a tenant key. */
const workersFor = ({
  caller,
  service,
  tenant,
}: Pick<Call<unknown, unknown, unknown>, 'caller' | 'service' | 'tenant'>) =>
  caller.tenantId === null ? service.workers : tenant.workers

export const listWorkers = defineRoute({
  ...{ method: 'GET', path: '/workers', scope: 'read', tag, summary: 'Lists workers' },
  description:
    'For a key of the installation: all workers, including those that left in the last day. For a key of a tenant: those that serve only this tenant.',
  answer: workers,
  async handle(call) {
    return toWire({ workers: await workersFor(call).list() })
  },
})

const whose =
  'A key of the installation may name any worker, a key of a tenant one that serves only this tenant.'

export const drainWorker = defineRoute({
  ...{ method: 'POST', path: '/workers/:id/drain', scope: 'operate', tag, writes: 'always' },
  summary: 'Drains a worker: it claims nothing more and finishes its runs',
  description: whose,
  params,
  answer: changed,
  problems: ['worker_not_found'],
  async handle({ params: { id }, ...call }) {
    return { id, changed: await workersFor(call).drain(id) }
  },
})

export const activateWorker = defineRoute({
  ...{ method: 'POST', path: '/workers/:id/activate', scope: 'operate', tag, writes: 'always' },
  summary: 'Lets a drained worker claim runs again',
  description: whose,
  params,
  answer: changed,
  problems: ['worker_not_found'],
  async handle({ params: { id }, ...call }) {
    return { id, changed: await workersFor(call).activate(id) }
  },
})
