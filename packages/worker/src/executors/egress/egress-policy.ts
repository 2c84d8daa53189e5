/**
 * What an operator opens for the targets of all tenants, and more for some: `acme=10.0.0.0/8` opens
 * that network for the tenant `acme` only.
 */
import { EgressRules } from './egress-rules.ts'

const OF_TENANT = /^([^=\s]+)=(.*)$/s

export class EgressPolicy {
  /** For tenants that no entry names. */
  readonly shared: EgressRules
  readonly #named: ReadonlyMap<string, EgressRules>

  /** @throws `PunctualError` with `invalid_config` */
  constructor(entries: readonly string[]) {
    const open = new Map<string | null, string[]>()
    for (const entry of entries) {
      const [, tenant = null, own = entry] = OF_TENANT.exec(entry.trim()) ?? []
      open.set(tenant, [...(open.get(tenant) ?? []), own])
    }
    const shared = open.get(null) ?? []
    this.shared = new EgressRules(shared)
    this.#named = new Map(
      [...open].flatMap(([tenant, own]) =>
        tenant === null ? [] : [[tenant, new EgressRules([...shared, ...own])] as const],
      ),
    )
  }

  /** Whether the name of a tenant matters. */
  get namesTenants(): boolean {
    return this.#named.size > 0
  }

  rulesOf(tenant: string | null): EgressRules {
    return (tenant === null ? undefined : this.#named.get(tenant)) ?? this.shared
  }
}
