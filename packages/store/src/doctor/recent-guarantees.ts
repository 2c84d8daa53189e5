/**
 * The guarantees for callers who may ask as often as they like: they are read again only when the
 * last answer is some seconds old, and callers at the same time share one reading.
 */
import type { Clock } from '@punctual/core/clock'
import type { GuaranteePanel } from '@punctual/core/ports'
import { TtlCache } from '../tenants/ttl-cache.ts'

/** An operator who fixes a weakness sees the new verdict after this long. */
const HOLDS_MS = 5_000

export class RecentGuarantees {
  readonly #panels: TtlCache<'panel', GuaranteePanel>

  /** `judge` reads the facts and judges them. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, judge: () => Promise<GuaranteePanel>) {
    this.#panels = new TtlCache({ clock, holdsMs: HOLDS_MS, most: 1, ask: judge })
  }

  /** The guarantees as they were at most five seconds ago. */
  async read(): Promise<GuaranteePanel> {
    return this.#panels.get('panel')
  }
}
