/** `punctual.tenants`: the users that share an installation, what each may have, and ending them. */
import type { Actor } from '@punctual/core/audit'
import { checkText, type Instant, instantOf, integer, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import {
  checkTenantName,
  compileQuotas,
  type QuotaChanges,
  type Quotas,
  type Tenant,
} from '@punctual/core/identity'
import {
  type EraseProgress,
  type EraseResult,
  exportTenant,
  type PostgresStore,
  type TenantReference,
  type UsageDay,
} from '@punctual/store'
import { type HandlingOptions, handledBy } from '../runs/handling.ts'
import { checkedOptions } from './checked-options.ts'

const LIST_MAX = 1_000
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** The last moment that the id of a run can carry is far beyond this. */
const ID_TIME_MAX_MS = 253_402_300_799_999

/** What `punctual.tenants.create` takes. */
export interface TenantOptions {
  /** Up to 63 lower-case letters, digits, dots, dashes and `_`; it begins with a letter. */
  name: string
  /** Whatever people want to remember of it, up to 1,024 characters. */
  note?: string
  /** What it may have and do. @default no limits */
  quotas?: Quotas
  /** Who makes it. */
  by?: string
}

/** What `punctual.tenants.update` takes: what is not named stays. */
export interface TenantChanges {
  /** Another note; null for none. */
  note?: string | null
  /** Other quotas: those that are null are not limited any more, those that are not named stay. */
  quotas?: QuotaChanges
}

/** Which days or runs of a tenant are reported or exported, by when they were due. */
export interface TenantRange {
  /** From this moment on. @default a week ago; for exports the beginning */
  from?: Instant
  /** Before this moment. @default the end of today; for exports the end */
  to?: Instant
}

/** What `punctual.tenants.erase` takes. */
export interface EraseOptions {
  /** The name of the tenant again, so that nobody erases another one by mistake. */
  confirm: string
  /** Called as it goes on. */
  onProgress?: (progress: EraseProgress) => void
  /** Ends it early: what is gone stays gone, the tenant stays suspended, and asking again goes on. */
  signal?: AbortSignal
}

/** Which tenants are listed. */
export interface TenantListOptions {
  /** Only names after this one: give the last of a page to get the next page. */
  after?: string
  /** Up to 1,000. @default 100 */
  limit?: number
}

export function checkTenant(tenant: TenantReference, field = 'tenant'): TenantReference {
  if (typeof tenant === 'number') return integer(field, tenant, 1, 2_147_483_647)
  if (typeof tenant !== 'string' || tenant.length === 0 || tenant.includes('\0'))
    refuseOption(field, 'the name or the number of a tenant', tenant)
  return tenant
}

const noteOf = (note: string | null | undefined) =>
  note === undefined || note === null ? null : checkText('note', note, limits.descriptionLength)

/** `punctual.tenants`: the users that share an installation, what each may have, and ending them. */
export class Tenants {
  readonly #store: PostgresStore
  readonly #actor: () => Actor

  /** @internal */
  constructor(store: PostgresStore, actor: () => Actor) {
    this.#store = store
    this.#actor = actor
  }

  /**
   * Makes a tenant.
   * @throws `PunctualError` with `tenant_exists` or `invalid_option`.
   * @example
   * ```ts
   * await punctual.tenants.create({ name: 'acme', quotas: { jobs: 100, concurrentRuns: 20 } })
   * ```
   */
  async create(options: TenantOptions): Promise<Tenant> {
    const known = ['name', 'note', 'quotas', 'by'] as const
    const { name, note, quotas = {}, by } = checkedOptions(options, known)
    const changes = compileQuotas(quotas)
    const about = handledBy({
      ...(note !== undefined && { note }),
      ...(by !== undefined && { by }),
    })
    return this.#store.tenants.create(checkTenantName('name', name), about, changes)
  }

  /** A tenant by its name or number, or null. */
  async get(tenant: TenantReference): Promise<Tenant | null> {
    return this.#store.tenants.find(checkTenant(tenant))
  }

  /** All tenants by name, a page at a time. */
  async list(options: TenantListOptions = {}): Promise<readonly Tenant[]> {
    const { after = '', limit = 100 } = checkedOptions(options, ['after', 'limit'])
    if (typeof after !== 'string') refuseOption('after', 'a text', after)
    return this.#store.tenants.list({ after, limit: integer('limit', limit, 1, LIST_MAX) })
  }

  /**
   * Changes its note or quotas. Nodes keep to new quotas within two seconds; what the tenant has beyond them stays.
   * @throws `PunctualError` with `tenant_not_found` or `invalid_option`.
   */
  async update(tenant: TenantReference, changes: TenantChanges): Promise<Tenant> {
    const { note, quotas = {} } = checkedOptions(changes, ['note', 'quotas'])
    return this.#store.tenants.update(checkTenant(tenant), {
      ...(note !== undefined && { note: noteOf(note) }),
      quotas: compileQuotas(quotas),
    })
  }

  /**
   * Suspends it: nothing is accepted for it within two seconds, nothing of it is claimed once this resolves, its jobs make
   * no runs, and its keys may only read. What runs goes on. One that is suspended stays as it is.
   * @throws `PunctualError` with `tenant_not_found`.
   */
  async suspend(tenant: TenantReference, options: HandlingOptions = {}): Promise<Tenant> {
    return this.#store.tenants.suspend(checkTenant(tenant), handledBy(options))
  }

  /**
   * Ends its suspension: what waited is claimed, and its jobs go on.
   * @throws `PunctualError` with `tenant_not_found`.
   */
  async resume(tenant: TenantReference): Promise<Tenant> {
    return this.#store.tenants.resume(checkTenant(tenant))
  }

  /**
   * What it has used, for each day (UTC) on which runs of it were due. Reads the history of those days whole, which takes
   * a while where there are many runs; days whose history was dropped have nothing.
   * @throws `PunctualError` with `tenant_not_found` or `invalid_option`.
   */
  async usage(tenant: TenantReference, range: TenantRange = {}): Promise<readonly UsageDay[]> {
    const { from, to } = checkedOptions(range, ['from', 'to'])
    const nowMs = this.#store.database.clock.nowMs()
    const fromMs = from === undefined ? nowMs - WEEK_MS : instantOf('from', from)
    const toMs = to === undefined ? nowMs : instantOf('to', to)
    if (toMs <= fromMs) refuseOption('to', 'later than from', to)
    if (toMs - fromMs > limits.usageDaysMax * DAY_MS)
      refuseOption('to', `at most ${limits.usageDaysMax} days after from`, to)
    const { id } = await this.#store.tenants.get(checkTenant(tenant))
    return this.#store.replica.read(({ usage }) => usage(id, { fromMs, toMs }))
  }

  /**
   * Everything that it has declared (calendars, limits, jobs), and its runs of a range with their payloads and outputs: lines
   * of JSON, each with its `type`, in snake_case. Read a page at a time, however much it is.
   * @throws `PunctualError` with `tenant_not_found` or `invalid_option`, at the first line.
   * @example
   * ```ts
   * import { createWriteStream } from 'node:fs'
   * import { pipeline } from 'node:stream/promises'
   *
   * await pipeline(punctual.tenants.export('acme'), createWriteStream('acme.ndjson'))
   * ```
   */
  async *export(tenant: TenantReference, range: TenantRange = {}): AsyncGenerator<string> {
    const { from, to } = checkedOptions(range, ['from', 'to'])
    const fromMs = from === undefined ? 0 : instantOf('from', from)
    const toMs = to === undefined ? ID_TIME_MAX_MS : instantOf('to', to)
    const { replica, schedules, limits: limitStore, tenants } = this.#store
    const found = await tenants.get(checkTenant(tenant))
    const sources = { replica, calendars: schedules.calendars }
    yield* exportTenant({ ...sources, limits: limitStore }, found, { fromMs, toMs })
  }

  /**
   * Erases it and everything of it for good, a piece at a time, which takes a while. From the first moment on it is
   * suspended and none of its keys is accepted. What stays: its number, which is never used again; an entry in the audit log
   * of the installation; rules of schedules, which belong to nobody; for a day, the hosts, handlers, queues and labels of
   * workers of its own that have left; backups; and what handlers have written elsewhere. Of several that erase it at once
   * one ends it, and the others reject with `tenant_not_found`.
   * @throws `PunctualError` with `tenant_not_found`, `tenant_protected` or `invalid_option`.
   * @example
   * ```ts
   * await punctual.tenants.erase('acme', {
   *   confirm: 'acme',
   *   onProgress: ({ table, rows }) => console.log(table, rows),
   * })
   * ```
   */
  async erase(tenant: TenantReference, options: EraseOptions): Promise<EraseResult> {
    const { confirm, onProgress, signal } = checkedOptions(options, [
      ...(['confirm', 'onProgress', 'signal'] as const),
    ])
    const found = await this.#store.tenants.get(checkTenant(tenant))
    if (confirm !== found.name) refuseOption('confirm', `the name ${found.name}`, confirm)
    return this.#store.erasure.erase(found, { actor: this.#actor(), onProgress, signal })
  }
}
