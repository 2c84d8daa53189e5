/** The audit log: who changed what, and whether it is as it was written. */
import Type from 'typebox'
import { defineRoute } from '../../define-route.ts'
import { wireOf } from '../../wire/described.ts'
import { answer, exactly, moment, nullable, text } from '../../wire/schemas.ts'

const entry = answer({
  id: Type.String(),
  at: Type.String(),
  actor: Type.Unknown(),
  action: Type.String({ examples: ['job.pause'] }),
  target: Type.Unknown(),
  before: Type.Unknown(),
  after: Type.Unknown(),
  note: nullable(Type.String()),
  seq: nullable(Type.Integer({ description: 'Its place in the chain; null while not sealed.' })),
  hash: nullable(Type.String()),
})
const entries = answer({ entries: Type.Array(entry), next_after: nullable(Type.String()) })
const verification = answer({ clean: Type.Boolean(), chains: Type.Array(Type.Unknown()) })
const PAGE = 100

export const listAudit = defineRoute({
  ...{
    method: 'GET',
    path: '/audit',
    scope: 'admin',
    tag: 'Audit',
    summary: 'Entries, the newest first',
  },
  query: exactly({
    action: Type.Optional(text(128, { description: 'Such as `job.pause`, or `job.*`.' })),
    target: Type.Optional(text(256)),
    target_kind: Type.Optional(text(64)),
    actor: Type.Optional(text(256)),
    from: Type.Optional(moment),
    to: Type.Optional(moment),
    after: Type.Optional(text(64, { description: '`next_after` of the page before.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: PAGE })),
  }),
  answer: entries,
  async handle({ service, tenant, query }) {
    const { target_kind: targetKind, limit = PAGE, ...filter } = query
    const found = await service.audit.list({
      ...{ ...filter, limit, tenantId: tenant.tenantId },
      ...(targetKind !== undefined && { targetKind }),
    })
    const last = found.length < limit ? null : (found.at(-1)?.id ?? null)
    return wireOf(entries, { entries: found, nextAfter: last })
  },
})

export const verifyAudit = defineRoute({
  ...{ method: 'GET', path: '/audit/verify', scope: 'admin', tag: 'Audit' },
  summary: 'Whether the chain of the tenant is as it was written',
  answer: verification,
  async handle({ service, tenant }) {
    return wireOf(verification, await service.audit.verify({ tenantId: tenant.tenantId }))
  },
})
