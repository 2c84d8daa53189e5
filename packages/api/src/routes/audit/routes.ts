/** The audit log: who changed what, and whether it was altered. */
import type { Actor, AuditTarget, VerifiedChain } from '@punctual/core/audit'
import Type from 'typebox'
import { chosenTenant } from '../../http/chosen-tenant.ts'
import { type Call, defineRoute } from '../../http/define-route.ts'
import { answer, exactly, instant, nullable, text, unlisted } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const entry = answer({
  id: Type.String(),
  tenant_id: nullable(Type.Integer({ description: 'The tenant; null for the installation.' })),
  at: Type.String(),
  actor: unlisted<Actor>(),
  action: Type.String({ examples: ['job.pause'] }),
  target: unlisted<AuditTarget>(),
  before: Type.Unknown(),
  after: Type.Unknown(),
  note: nullable(Type.String()),
  seq: nullable(Type.Integer({ description: 'Its position in the chain; null until sealed.' })),
  hash: nullable(Type.String()),
})
const entries = answer({ entries: Type.Array(entry), next_after: nullable(Type.String()) })
const verification = answer({
  clean: Type.Boolean(),
  chains: Type.Array(unlisted<VerifiedChain>()),
})
const PAGE = 100
const VISIBILITY =
  'Covers the tenant of the key, or the one named by `X-Punctual-Tenant`. A key of the installation that names no tenant gets'

/** A system key that names no tenant reads all chains, including that of the installation. */
function chainOf(call: Call<unknown, unknown, unknown>) {
  const tenantId = chosenTenant(call)
  return tenantId === null ? {} : { tenantId }
}

export const listAudit = defineRoute({
  ...{
    method: 'GET',
    path: '/audit',
    scope: 'admin',
    tag: 'Audit',
    summary: 'Lists audit entries, newest first',
    description: `${VISIBILITY} the entries of all tenants and of the installation.`,
  },
  query: exactly({
    action: Type.Optional(text(128, { description: 'Such as `job.pause`, or `job.*`.' })),
    target: Type.Optional(text(256)),
    target_kind: Type.Optional(text(64)),
    actor: Type.Optional(text(256)),
    from: Type.Optional(instant),
    to: Type.Optional(instant),
    after: Type.Optional(text(64, { description: '`next_after` of the previous page.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: PAGE })),
  }),
  answer: entries,
  async handle(call) {
    const { target_kind: targetKind, limit = PAGE, ...filter } = call.query
    const found = await call.service.audit.list({
      ...{ ...filter, limit, ...chainOf(call) },
      ...(targetKind !== undefined && { targetKind }),
    })
    const last = found.length < limit ? null : (found.at(-1)?.id ?? null)
    return toWire({ entries: found, nextAfter: last })
  },
})

export const verifyAudit = defineRoute({
  ...{ method: 'GET', path: '/audit/verify', scope: 'admin', tag: 'Audit' },
  summary: 'Verifies that the audit log was not altered',
  description: `${VISIBILITY} every chain.`,
  answer: verification,
  async handle(call) {
    return toWire(await call.service.audit.verify(chainOf(call)))
  },
})
