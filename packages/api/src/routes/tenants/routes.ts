/** Tenants, managed with keys of the installation: their quotas, use and data. */
import { Readable } from 'node:stream'
import { PunctualError } from '@punctual/core/errors'
import type { EraseResult, Quotas } from '@punctual/core/identity'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, exactly, instant, nullable, text, unlisted } from '../../wire/schemas.ts'
import { fromWire, toWire } from '../../wire/snake.ts'

const tenant = answer({
  id: Type.Integer(),
  name: Type.String(),
  note: nullable(Type.String()),
  quotas: unlisted<Quotas>({ description: 'A quota that is not named is unlimited.' }),
  created_at: Type.String(),
  created_by: nullable(Type.String()),
  suspended_at: nullable(Type.String()),
  suspended_by: nullable(Type.String()),
  suspended_note: nullable(Type.String()),
  erasing_since: nullable(Type.String()),
})
const tenants = answer({ tenants: Type.Array(tenant) })
const quota = Type.Optional(nullable(Type.Integer({ minimum: 0 })))
const quotas = exactly({
  jobs: quota,
  payload_bytes: quota,
  submissions_per_second: quota,
  dispatches_per_second: quota,
  concurrent_runs: quota,
  log_bytes_per_run: quota,
  min_interval_ms: quota,
  timeout_ms: quota,
  executors: Type.Optional(nullable(Type.Array(text(32), { maxItems: 100 }))),
})
const params = exactly({ name: text(63) })
const shared = { scope: 'system', tag: 'Tenants' } as const

function found<T>(value: T | null, name: string): T {
  if (value !== null) return value
  const message = `No tenant is named ${JSON.stringify(name)}. GET /v1/tenants lists them.`
  throw new PunctualError('tenant_not_found', message, { id: name })
}

export const createTenant = defineRoute({
  ...{ ...shared, method: 'POST', path: '/tenants', status: 201, writes: 'always' },
  summary: 'Creates a tenant',
  body: exactly({
    name: text(63),
    note: Type.Optional(text(1_024)),
    quotas: Type.Optional(quotas),
  }),
  answer: tenant,
  problems: ['tenant_exists'],
  async handle({ service, body, caller }) {
    const options = { ...fromWire(body), by: caller.keyName }
    return toWire(await service.tenants.create(options))
  },
})

export const listTenants = defineRoute({
  ...{ ...shared, method: 'GET', path: '/tenants', summary: 'Lists tenants by name' },
  query: exactly({
    after: Type.Optional(text(63)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
  }),
  answer: tenants,
  async handle({ service, query }) {
    return toWire({ tenants: await service.tenants.list(query) })
  },
})

export const getTenant = defineRoute({
  ...{
    ...shared,
    method: 'GET',
    path: '/tenants/:name',
    summary: 'Returns a tenant and its quotas',
  },
  params,
  answer: tenant,
  problems: ['tenant_not_found'],
  async handle({ service, params: { name } }) {
    return toWire(found(await service.tenants.get(name), name))
  },
})

export const updateTenant = defineRoute({
  ...{ ...shared, method: 'PATCH', path: '/tenants/:name', writes: 'always' },
  summary: 'Updates the note or quotas of a tenant; null removes a quota',
  params,
  body: exactly(
    { note: Type.Optional(nullable(text(1_024))), quotas: Type.Optional(quotas) },
    { minProperties: 1 },
  ),
  answer: tenant,
  problems: ['tenant_not_found'],
  async handle({ service, params: { name }, body }) {
    return toWire(await service.tenants.update(name, fromWire(body)))
  },
})

export const suspendTenant = defineRoute({
  ...{ ...shared, method: 'POST', path: '/tenants/:name/suspend', writes: 'always' },
  summary: 'Suspends a tenant: nothing is accepted for it or run until it is resumed',
  params,
  body: exactly({ note: Type.Optional(text(1_024)) }),
  answer: tenant,
  problems: ['tenant_not_found'],
  async handle({ service, params: { name }, body, caller }) {
    return toWire(await service.tenants.suspend(name, { ...body, by: caller.keyName }))
  },
})

export const resumeTenant = defineRoute({
  ...{ ...shared, method: 'POST', path: '/tenants/:name/resume', writes: 'always' },
  summary: 'Resumes a tenant',
  params,
  answer: tenant,
  problems: ['tenant_not_found'],
  async handle({ service, params: { name } }) {
    return toWire(await service.tenants.resume(name))
  },
})

const range = exactly({ from: Type.Optional(instant), to: Type.Optional(instant) })
const usage = answer({
  days: Type.Array(
    answer({
      day: Type.String({ examples: ['2030-01-31'] }),
      runs: Type.Integer({ description: 'Runs due on this day.' }),
      succeeded: Type.Integer(),
      ended_otherwise: Type.Integer(),
      attempts: Type.Integer(),
      run_seconds: Type.Number(),
      payload_bytes: Type.Integer(),
      output_bytes: Type.Integer(),
      log_bytes: Type.Integer(),
    }),
  ),
})

export const getUsage = defineRoute({
  ...{ ...shared, method: 'GET', path: '/tenants/:name/usage' },
  summary: 'Reports the use of a tenant by day (UTC)',
  params,
  query: range,
  answer: usage,
  problems: ['tenant_not_found'],
  async handle({ service, params: { name }, query }) {
    return toWire({ days: await service.tenants.usage(name, query) })
  },
})

export const exportTenant = defineRoute({
  ...{ ...shared, method: 'GET', path: '/tenants/:name/export' },
  summary: 'Exports the declarations of a tenant and its runs of a range, one per line (NDJSON)',
  params,
  query: range,
  problems: ['tenant_not_found'],
  async handle({ service, params: { name }, query, reply }) {
    found(await service.tenants.get(name), name)
    const lines = Readable.from(service.tenants.export(name, query))
    await reply.type('application/x-ndjson').send(lines)
  },
})

export const eraseTenant = defineRoute({
  ...{ ...shared, method: 'DELETE', path: '/tenants/:name' },
  summary: 'Erases a tenant and all of its data permanently; this takes a while',
  params,
  query: exactly({ confirm: text(63, { description: 'The name of the tenant, repeated.' }) }),
  answer: unlisted<EraseResult>(),
  problems: ['tenant_not_found', 'tenant_protected'],
  async handle({ service, actor, params: { name }, query }) {
    const erased = await service.as(actor, () => service.tenants.erase(name, query))
    return toWire(erased)
  },
})
