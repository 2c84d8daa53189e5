/** `punctual.tenants`: the tenants that share an installation, their quotas, export and erasure. */
import { checkText, type Instant, instantOf, integer, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import {
  checkTenantName,
  compileQuotas,
  type EraseResult,
  type QuotaChanges,
  type Quotas,
  type Tenant,
  type UsageDay,
} from '@punctual/core/identity'
import {
  type EraseProgress,
  exportTenant,
  type PostgresStore,
  type TenantReference,
} from '@punctual/store'
import { type HandlingOptions, handledBy } from '../runs/handling.ts'
import { checkedOptions } from './checked-options.ts'
import { type InstallationScope, recordTenant, recordTenantChange } from './records.ts'

const LIST_MAX = 1_000
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** The last instant of the year 9999: later than any run. */
const ID_TIME_MAX_MS = 253_402_300_799_999

/** Options of `punctual.tenants.create`. */
export interface TenantOptions {
  /** Up to 63 characters: a-z, digits, dots, dashes and `_`, starting with a-z. */
  name: string
  /** Free text, up to 1,024 characters. */
  note?: string
  /** Limits on what the tenant may use and do. @default no limits */
  quotas?: Quotas
  /** Who creates it, up to 256 characters. */
  by?: string
}

/** Options of `punctual.tenants.update`: options that are left out stay unchanged. */
export interface TenantChanges {
  /** The new note; null removes it. */
  note?: string | null
  /** New quotas: null removes a quota, and quotas that are left out stay unchanged. */
  quotas?: QuotaChanges
}

/** A range of days or runs, by due time. */
export interface TenantRange {
  /** Start, inclusive. @default one week ago; the beginning for exports */
  from?: Instant
  /** End, exclusive. @default the end of today; unlimited for exports */
  to?: Instant
}

/** Options of `punctual.tenants.erase`. */
export interface EraseOptions {
  /** The name of the tenant once more, as a safeguard against erasing the wrong one. */
  confirm: string
  /** Called after each batch of erased rows. */
  onProgress?: (progress: EraseProgress) => void
  /**
   * Stops early: erased data stays erased and the tenant stays suspended; calling erase again
   * continues.
   */
  signal?: AbortSignal
}

/** Which tenants to list. */
export interface TenantListOptions {
  /** Only names after this one: pass the last name of a page to get the next page. */
  after?: string
  /** The most tenants to return, up to 1,000. @default 100 */
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

/** `punctual.tenants`: the tenants that share an installation, their quotas, export and erasure. */
export class Tenants {
  readonly #scope: InstallationScope
  readonly #store: PostgresStore

  /** @internal */
  constructor(scope: InstallationScope) {
    this.#scope = scope
    this.#store = scope.store
  }

  /**
   * Creates a tenant.
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
    const handling = handledBy({
      ...(note !== undefined && { note }),
      ...(by !== undefined && { by }),
    })
    checkTenantName('name', name)
    return recordTenant(this.#scope, () => this.#store.tenants.create(name, handling, changes))
  }

  /** A tenant by its name or number, or null when there is none. */
  async get(tenant: TenantReference): Promise<Tenant | null> {
    return this.#store.tenants.find(checkTenant(tenant))
  }

  /** All tenants sorted by name, page by page. */
  async list(options: TenantListOptions = {}): Promise<readonly Tenant[]> {
    const { after = '', limit = 100 } = checkedOptions(options, ['after', 'limit'])
    if (typeof after !== 'string') refuseOption('after', 'a string', after)
    return this.#store.tenants.list({ after, limit: integer('limit', limit, 1, LIST_MAX) })
  }

  /**
   * Changes a tenant's note or quotas. Nodes apply new quotas within two seconds; existing data
   * above a quota stays.
   * @throws `PunctualError` with `tenant_not_found` or `invalid_option`.
   */
  async update(tenant: TenantReference, changes: TenantChanges): Promise<Tenant> {
    const { note, quotas = {} } = checkedOptions(changes, ['note', 'quotas'])
    const reference = checkTenant(tenant)
    const checked = {
      ...(note !== undefined && { note: noteOf(note) }),
      quotas: compileQuotas(quotas),
    }
    const update = () => this.#store.tenants.update(reference, checked)
    return recordTenantChange(this.#scope, 'tenant.update', reference, update)
  }

  /**
   * Suspends a tenant. Once this resolves, none of its runs is claimed; within two seconds all
   * nodes refuse its submissions. Its jobs create no runs and its keys may only read. Running runs
   * continue. Suspending it again changes nothing.
   * @throws `PunctualError` with `tenant_not_found`.
   */
  async suspend(tenant: TenantReference, options: HandlingOptions = {}): Promise<Tenant> {
    const reference = checkTenant(tenant)
    const handling = handledBy(options)
    const suspend = () => this.#store.tenants.suspend(reference, handling)
    return recordTenantChange(this.#scope, 'tenant.suspend', reference, suspend)
  }

  /**
   * Ends the suspension: waiting runs are claimed and the jobs create runs again.
   * @throws `PunctualError` with `tenant_not_found`.
   */
  async resume(tenant: TenantReference): Promise<Tenant> {
    const reference = checkTenant(tenant)
    const resume = () => this.#store.tenants.resume(reference)
    return recordTenantChange(this.#scope, 'tenant.resume', reference, resume)
  }

  /**
   * Usage per UTC day on which runs were due. Reads the whole history of those days, which takes
   * time when there are many runs; days beyond the retention report nothing.
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
   * Exports the tenant's declarations (calendars, limits, jobs) and its runs of a range with
   * payloads and outputs, as lines of JSON in snake_case, each with a `type`. It reads page by
   * page, so memory does not grow with the export.
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
   * Erases a tenant and all its data permanently, in batches, which takes time. As soon as it
   * begins, the tenant is suspended and its keys are refused. These remain: the number of the
   * tenant, which is never used again; an entry in the installation's audit log; rules of
   * schedules, which are shared between tenants; for one day, hosts, handlers, queues and labels of
   * its dedicated workers that have ended; backups; and data that handlers wrote elsewhere. If
   * several callers erase the tenant at the same time, one completes and the others reject with
   * `tenant_not_found`.
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
    const { actor } = this.#scope.writes
    return this.#store.erasure.erase(found, { actor, onProgress, signal })
  }
}
