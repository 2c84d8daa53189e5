/** `punctual.audit`: who changed what, and whether the log of it is as it was written. */
import type { AuditEntry, AuditHead, VerifiedChain } from '@punctual/core/audit'
import { checkText, type Instant, instantOf, integer, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import { isRunId } from '@punctual/core/run'
import type { AuditFilter, ExpectedHead, PostgresStore } from '@punctual/store'

const LIST = 100

/** Which entries are listed. */
export interface AuditListOptions {
  /** The action, such as `job.pause`; with a `*` at the end whatever begins so, such as `job.*`. @default all */
  action?: string
  /** What was changed, by its id or name. @default all */
  target?: string
  /** What kind of thing was changed, such as `job`. @default all */
  targetKind?: string
  /** Who did it, by their id or name. @default all */
  actor?: string
  /** From this moment on. @default the first entry */
  from?: Instant
  /** Before this moment. @default now */
  to?: Instant
  /** Up to 1,000. @default 100 */
  limit?: number
  /** Those after this one, which are older: give the id of the last one of a page to get the next page. */
  after?: string
  /** Of this tenant only; null: of the installation only. @default all */
  tenantId?: number | null
}

/** An end that a chain once had, as `verify` told it then. */
export interface ExpectedAuditHead extends AuditHead {
  /** The tenant whose chain it is; null: that of the installation. */
  readonly tenantId: number | null
}

/** What is verified. */
export interface AuditVerifyOptions {
  /** The chain of this tenant only; null: that of the installation only. @default all */
  tenantId?: number | null
  /** Ends that were kept elsewhere: the chains must still have them. @default none */
  expect?: readonly ExpectedAuditHead[]
}

/** What verifying the audit log came to. */
export interface AuditVerification {
  /** Nothing was changed, removed or put in. */
  readonly clean: boolean
  /** Each chain there is, that of the installation first. */
  readonly chains: readonly VerifiedChain[]
}

const LIST_OPTIONS = ['action', 'target', 'targetKind', 'actor', 'from', 'to', 'limit', 'after']
const HASH = /^[0-9a-f]{64}$/i

function checkNames(options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) refuseOption('options', 'an object', options)
  const unknown = Object.keys(options as object).find((name) => !known.includes(name))
  if (unknown !== undefined) refuseOption('options', `made of ${known.join(', ')}`, unknown)
}

/** The number of a chain: 0 is that of the installation. */
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

/** `punctual.audit`: who changed what, and whether the log of it is as it was written. */
export class Audit {
  readonly #store: PostgresStore
  readonly #tenantId: number | null | undefined

  /** @internal */
  constructor(store: PostgresStore, tenantId?: number) {
    this.#store = store
    this.#tenantId = tenantId
  }

  /**
   * Entries, the newest first, a page at a time. What is written meanwhile moves no page.
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
    const asked = filterOf(filter)
    return this.#store.replica.read(({ audit }) => audit.list(asked))
  }

  /**
   * Makes the hashes of the log again, and tells the first entry that was changed, removed or put in. Whoever may write to
   * all tables can make a whole chain anew: keep the heads elsewhere, and give them as `expect` next time.
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
