import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Caller, checkScope } from './caller.ts'
import { compileQuotas, quotaBounds, quotaExceeded } from './quotas.ts'
import { holdsScope, scopeNames, scopes } from './scope.ts'

const guide = readFileSync(
  new URL('../../../../docs/guides/tenants-and-keys.md', import.meta.url),
  'utf8',
)

describe('scopes', () => {
  it('have the same table in the guide', () => {
    for (const [name, { includes, meaning }] of Object.entries(scopes)) {
      const others = includes.filter((scope) => scope !== name).map((scope) => `\`${scope}\``)
      expect(guide).toContain(`| \`${name}\` | ${others.join(', ') || '-'} | ${meaning} |`)
    }
  })

  it('nest: system includes all, admin all except worker and system, the others only themselves', () => {
    const included = (held: (typeof scopeNames)[number]) =>
      scopeNames.filter((needed) => holdsScope([held], needed))
    expect(included('system')).toEqual(scopeNames)
    expect(included('admin')).toEqual(['read', 'submit', 'operate', 'admin'])
    for (const alone of ['read', 'submit', 'operate', 'worker'] as const)
      expect(included(alone)).toEqual([alone])
    expect(holdsScope(['read', 'submit'], 'submit')).toBe(true)
    expect(holdsScope([], 'read')).toBe(false)
  })
})

describe('a caller', () => {
  const caller: Caller = {
    ...{ keyId: 'k', keyName: 'ci', tenantId: 2, tenantName: 'acme', tenantSuspended: false },
    scopes: ['read', 'worker'],
  }
  const refusal = (holder: Caller, needed: (typeof scopeNames)[number]) => {
    try {
      checkScope(holder, needed)
      return null
    } catch (error) {
      return error
    }
  }

  it('may do what its scopes include; refusals name the scopes that suffice', () => {
    expect(refusal(caller, 'read')).toBeNull()
    expect(refusal(caller, 'submit')).toMatchObject({
      code: 'forbidden',
      message:
        'This request needs the scope submit or admin or system, but the key "ci" has read, worker.',
    })
  })

  it('of a suspended tenant may read and end running work; the rest is refused as suspended', () => {
    const suspended = { ...caller, tenantSuspended: true, scopes: ['admin', 'worker'] as const }
    for (const needed of ['read', 'worker'] as const) expect(refusal(suspended, needed)).toBeNull()
    for (const needed of ['submit', 'operate', 'admin'] as const)
      expect(refusal(suspended, needed)).toMatchObject({ code: 'tenant_suspended', id: 'acme' })
    expect(refusal(suspended, 'system')).toMatchObject({ code: 'forbidden' })
  })
})

describe('quotas', () => {
  it('are in the guide, with their bounds', () => {
    for (const [name, { min, max }] of Object.entries(quotaBounds))
      expect(guide).toMatch(new RegExp(`^\\| \`${name}\` \\| ${min} - ${max} \\| .+ \\|$`, 'm'))
    expect(guide).toMatch(/^\| `executors` \| .+ \|$/m)
  })

  it('are accepted unchanged, with null to remove one', () => {
    const quotas = { jobs: 0, payloadBytes: null, executors: ['http', 'handler', 'http'] }
    expect(compileQuotas(quotas)).toEqual({ ...quotas, executors: ['handler', 'http'] })
    expect(compileQuotas({ jobs: undefined })).toEqual({})
  })

  it.each([
    [null, 'quotas'],
    [[], 'quotas'],
    [{ jbos: 1 }, 'quotas.jbos'],
    [{ jobs: -1 }, 'quotas.jobs'],
    [{ jobs: 1.5 }, 'quotas.jobs'],
    [{ jobs: '1' }, 'quotas.jobs'],
    [{ submissionsPerSecond: 0 }, 'quotas.submissionsPerSecond'],
    [{ timeoutMs: Number.NaN }, 'quotas.timeoutMs'],
    [{ executors: 'http' }, 'quotas.executors'],
    [{ executors: ['HTTP'] }, 'quotas.executors'],
    [{ executors: [''] }, 'quotas.executors'],
    [{ toString: 1 }, 'quotas.toString'],
  ])('%j is refused with the field name', (quotas, field) => {
    expect(() => compileQuotas(quotas)).toThrow(
      expect.objectContaining({ code: 'invalid_option', field }),
    )
  })

  it('that are exceeded report name, limit and use; a rate also reports when to retry', () => {
    expect(quotaExceeded('jobs', 10, { used: 11 })).toMatchObject({
      code: 'quota_exceeded',
      message:
        'The quota jobs of the tenant is 10 (jobs); this request would make it 11. The operator of this installation can raise it.',
      quota: { name: 'jobs', limit: 10, used: 11 },
    })
    expect(quotaExceeded('submissionsPerSecond', 5, { used: 6, retryAfterMs: 300 })).toMatchObject({
      code: 'rate_exceeded',
      retryAfterMs: 300,
    })
  })
})
