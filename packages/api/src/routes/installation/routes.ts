/** The installation: who calls, which promises hold, and the workers. */
import Type from 'typebox'
import { defineRoute } from '../../define-route.ts'
import { wireOf } from '../../wire/described.ts'
import { answer, exactly, nullable, text } from '../../wire/schemas.ts'

const me = answer({
  key_id: Type.String(),
  key_name: Type.String(),
  tenant: nullable(Type.String()),
  scopes: Type.Array(Type.String()),
})

export const getMe = defineRoute({
  ...{ method: 'GET', path: '/me', scope: 'any', tag: 'Installation', summary: 'Who calls' },
  answer: me,
  async handle({ caller }) {
    const { keyId, keyName, tenantName, scopes } = caller
    return { key_id: keyId, key_name: keyName, tenant: tenantName, scopes: [...scopes] }
  },
})

export const getGuarantees = defineRoute({
  ...{ method: 'GET', path: '/guarantees', scope: 'read', tag: 'Installation' },
  summary: 'Which promises hold on this server as it is now, and what weakens the others',
  answer: Type.Unknown(),
  async handle({ service }) {
    return wireOf(Type.Unknown(), await service.guarantees())
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
  stuck: Type.Unknown(),
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

export const listWorkers = defineRoute({
  ...{ method: 'GET', path: '/workers', scope: 'read', tag, summary: 'Processes that take runs' },
  description:
    'With a key of the installation all of them, also those that left in the last day. With that of a tenant those that work for it alone.',
  answer: workers,
  async handle({ caller, service, tenant }) {
    const { workers: of } = service
    const found = caller.tenantId === null ? of.list() : of.ofTenant(tenant.tenantId)
    return wireOf(workers, { workers: await found })
  },
})

export const drainWorker = defineRoute({
  ...{ method: 'POST', path: '/workers/:id/drain', scope: 'system', tag, writes: 'always' },
  summary: 'Take nothing more; what runs is finished',
  params,
  answer: changed,
  problems: ['worker_not_found'],
  async handle({ service, params: { id } }) {
    return { id, changed: await service.workers.drain(id) }
  },
})

export const activateWorker = defineRoute({
  ...{ method: 'POST', path: '/workers/:id/activate', scope: 'system', tag, writes: 'always' },
  summary: 'Take runs again',
  params,
  answer: changed,
  problems: ['worker_not_found'],
  async handle({ service, params: { id } }) {
    return { id, changed: await service.workers.activate(id) }
  },
})
