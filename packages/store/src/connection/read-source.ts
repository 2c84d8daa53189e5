/** What a class that only reads needs of a server: the primary has it, and so has a standby. */
import type { Clock } from '@punctual/core/clock'
import type { Channel } from './channel.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { Statement } from './statements.ts'

export interface ReadSource {
  readonly reads: Pick<Channel, 'query' | 'pinnedOne'>
  /** For what may take long. */
  readonly browse: Pick<Channel, 'query'>
  readonly clock: DatabaseClock
  readonly localClock: Clock
  statement(path: string): Statement
}
