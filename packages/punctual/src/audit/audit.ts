/** `punctual.audit`: reads the audit log and verifies that nobody tampered with it. */
import type { AuditEntry, AuditHead, AuditVerification } from '@punctual/core/audit'
import { checkText, type Instant, instantOf, integer, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import { isRunId } from '@punctual/core/run'
import type { AuditFilter, ExpectedHead, PostgresStore } from '@punctual/store'

const LIST = 100

/** Which entries to list. */
export interface AuditListOptions {
  /**
   * The action, such as `job.pause`; a trailing `*` matches any ending, such as `job.*`. @default
   * all
   */
  action?: string
  /** The id or name of the changed object. @default all */
  target?: string
  /** The kind of the changed object, such as `job`. @default all */
  targetKind?: string
  /** The id or name of the actor. @default all */
  actor?: string
  /** Start, inclusive. @default the first entry */
  from?: Instant
  /** End, exclusive. @default now */
  to?: Instant
  /** The most entries to return, up to 1,000. @default 100 */
  limit?: number
  /**
   * Only older entries than this one: pass the id of the last entry of a page to get the next page.
   */
  after?: string
  /** Only entries of this tenant; null: only those of the installation. @default all */
  tenantId?: number | null
}

/** The head that a chain once had, as `verify` returned it then. */
export interface ExpectedAuditHead extends AuditHead {
  /** The tenant that owns the chain; null for the installation's chain. */
  readonly tenantId: number | null
}

/** Options of `audit.verify`. */
export interface AuditVerifyOptions {
  /** Only the chain of this tenant; null: only that of the installation. @default all chains */
  tenantId?: number | null
  /** Heads that you stored elsewhere: each chain must still contain its head. @default none */
  expect?: readonly ExpectedAuditHead[]
}

const LIST_OPTIONS = ['action', 'target', 'targetKind', 'actor', 'from', 'to', 'limit', 'after']
const HASH = /^[0-9a-f]{64}$/i

function checkNames(options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) refuseOption('options', 'an object', options)
  const unknown = Object.keys(options as object).find((name) => !known.includes(name))
  if (unknown !== undefined)
    refuseOption('options', `an object with only ${known.join(', ')}`, unknown)
}

/** The number of a chain; 0 is the installation's chain. */
function chainOf(tenantId: number | null | undefined): number | null {
  if (tenantId === undefined) return null
  return tenantId === null ? 0 : integer('tenantId', tenantId, 1, 2_147_483_647)
}

function filterOf(options: AuditListOptions): AuditFilter {
  const { after, from, to, limit = LIST, tenantId } = options
  if (after !== undefined && !isRunId(String(after)))
    refuseOption('after', 'the id of an entry, which is a UUID', after)
  const texts = ['action', 'target', 'targetKind', 'actor'] as const
  for (const name of texts)
    if (options[name] !== undefined) checkText(name, options[name], limits.descriptionLength)
  const { action, target, targetKind, actor } = options
  return {
    chain: chainOf(tenantId),
    limit: integer('limit', limit, 1, limits.auditEntriesPerPage),
    ...(action !== undefined && { action }),
    ...(target !== undefined && { target }),
    ...(targetKind !== undefined && { targetKind }),
    ...(actor !== undefined && { actor }),
    ...(after !== undefined && { after }),
    ...(from !== undefined && { fromMs: instantOf('from', from) }),
    ...(to !== undefined && { toMs: instantOf('to', to) }),
  }
}

function expected({ tenantId, seq, hash }: ExpectedAuditHead): ExpectedHead {
  if (typeof hash !== 'string' || !HASH.test(hash))
    refuseOption('expect.hash', '64 hexadecimal digits', hash)
  integer('expect.seq', seq, 1, Number.MAX_SAFE_INTEGER)
  return { chain: chainOf(tenantId ?? null) as number, seq, hash }
}

/** `punctual.audit`: reads the audit log and verifies that nobody tampered with it. */
export class Audit {
  readonly #store: PostgresStore
  readonly #tenantId: number | null | undefined

  /** @internal */
  constructor(store: PostgresStore, tenantId?: number) {
    this.#store = store
    this.#tenantId = tenantId
  }

  /**
   * Audit entries, newest first, page by page. New entries do not shift the pages.
   * @throws `PunctualError` with `invalid_option`.
   * @example
   * ```ts
   * for (const { at, actor, action, target } of await punctual.audit.list({ action: 'job.*' }))
   *   console.log(at, actor.name, action, target.name)
   * ```
   */
  async list(options: AuditListOptions = {}): Promise<readonly AuditEntry[]> {
    const own = this.#tenantId === undefined
    checkNames(options, own ? [...LIST_OPTIONS, 'tenantId'] : LIST_OPTIONS)
    const filter = own ? options : { ...options, tenantId: this.#tenantId as number }
    const auditFilter = filterOf(filter)
    return this.#store.replica.read(({ audit }) => audit.list(auditFilter))
  }

  /**
   * Recomputes the hashes of the log and reports the first entry that was changed, removed or
   * inserted. A user who can write to all tables can rebuild a whole chain: store the heads
   * elsewhere and pass them as `expect` next time.
   * @throws `PunctualError` with `invalid_option`.
   */
  async verify(options: AuditVerifyOptions = {}): Promise<AuditVerification> {
    const own = this.#tenantId === undefined
    checkNames(options, own ? ['tenantId', 'expect'] : ['expect'])
    const { expect = [] } = options
    if (!Array.isArray(expect)) refuseOption('expect', 'a list of heads', expect)
    const chain = chainOf(own ? options.tenantId : this.#tenantId)
    const chains = await this.#store.auditLog.verifying.verify(chain, expect.map(expected))
    return { clean: chains.every(({ fault }) => fault === null), chains }
  }
}
