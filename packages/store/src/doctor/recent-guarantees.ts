/**
 * The guarantees for callers who may ask as often as they like: they are read again only when the
 * last answer is some seconds old, and callers at the same time share one reading.
 */
import type { GuaranteePanel } from '@punctual/core/ports'
import type { Database } from '../connection/database.ts'
import type { ReplicaReads } from '../replica/replica-reads.ts'
import { TtlCache } from '../tenants/ttl-cache.ts'
import { readGuaranteeFacts } from './guarantee-facts.ts'
import { judgeGuarantees } from './judge-guarantees.ts'

/** An operator who fixes a weakness sees the new verdict after this long. */
const HOLDS_MS = 5_000

export class RecentGuarantees {
  readonly #panels: TtlCache<'panel', GuaranteePanel>

  constructor(database: Database, replica: ReplicaReads) {
    this.#panels = new TtlCache({
      ...{ clock: database.localClock, holdsMs: HOLDS_MS, most: 1 },
      ask: async () => judgeGuarantees(await readGuaranteeFacts(database, replica)),
    })
  }

  /** The guarantees as they were at most five seconds ago. */
  async read(): Promise<GuaranteePanel> {
    return this.#panels.get('panel')
  }
}
