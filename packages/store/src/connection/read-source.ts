/** The part of a server that a read-only class needs; the primary and the replica have it. */
import type { Clock } from '@punctual/core/clock'
import type { Ambient } from './ambient.ts'
import type { Channel } from './channel.ts'
import type { DatabaseClock } from './database-clock.ts'

/** Reads that may take long: pages, counts, reports. */
export type BrowseReads = Pick<Channel, 'run' | 'runReplanned' | 'runPinned'>

export interface ReadSource {
  readonly reads: Pick<Channel, 'run' | 'runPinned' | 'runTogether'>
  readonly browse: BrowseReads
  readonly ambient: Ambient
  readonly clock: DatabaseClock
  readonly localClock: Clock
}
