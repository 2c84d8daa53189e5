/** What the roles that time drives ask of the store. */
export interface ReapResult {
  readonly sessions: number
  readonly returned: number
  readonly dead: number
  readonly unknown: number
  readonly cancelled: number
}

export interface ExpiredSessions {
  /** Changes when the server restarts or another one takes over. */
  readonly incarnation: string
  readonly sessionIds: readonly string[]
  /** The longest lease of any session. */
  readonly leaseMs: number
  /** The shortest one; null when there is no session. */
  readonly shortestLeaseMs: number | null
  /** When the next lease runs out; null when there is no session. */
  readonly nextInMs: number | null
  /** Whether any run waits for its job: `resolveParked` has something to look at. */
  readonly parked: boolean
}

export interface UpkeepStore {
  /** Moves runs that enter the horizon into the queue; returns how many, and when the next one enters. */
  promote(horizonMs: number, limit: number): Promise<{ promoted: number; nextInMs: number | null }>
  /** Sessions whose lease has ended by the database's clock, with the server's start as its incarnation. */
  expiredSessions(): Promise<ExpiredSessions>
  /** Sessions that hold leases and do not exist. */
  orphanSessions(): Promise<readonly string[]>
  /** Fences the sessions and returns or ends what they held. */
  reap(sessionIds: readonly string[], crashesUntilQuarantine: number): Promise<ReapResult>
  /** Moves on runs that wait for their job although nobody holds it; returns how many were looked at. */
  resolveParked(olderThanMs: number): Promise<number>
  /** Moves up runs that wait for their rate behind moments that nobody uses any more; returns how many. */
  closeRateGaps(): Promise<number>
  /** Makes the partitions of the coming days; returns the days made. */
  ensurePartitions(daysAhead: number): Promise<readonly string[]>
  /** Carries live runs out of days beyond retention and drops those days; returns the days dropped. */
  dropOldDays(retentionDays: number): Promise<readonly string[]>
  /** Deletes small rows that no longer matter; returns how many. */
  sweep(retentionDays: number): Promise<number>
  /** Vacuums the hot tables when they have grown. */
  vacuumHotTables(): Promise<readonly string[]>
}
