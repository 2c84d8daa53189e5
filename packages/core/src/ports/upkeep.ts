/** The store port of the roles that time drives. */
export interface ReapResult {
  readonly sessions: number
  readonly returned: number
  readonly dead: number
  readonly unknown: number
  readonly cancelled: number
}

export interface ExpiredSessions {
  /** Changes when the server restarts or another server takes over. */
  readonly incarnation: string
  readonly sessionIds: readonly string[]
  /** The lease of each of these sessions, in the same order. */
  readonly leasesMs: readonly number[]
  /** The shortest lease of any session; null when there is no session. */
  readonly shortestLeaseMs: number | null
  /** When the next lease runs out; null when there is no session. */
  readonly nextInMs: number | null
  /** Whether any run waits for its job, so that `resolveParked` has runs to check. */
  readonly parked: boolean
}

export interface UpkeepStore {
  /**
   * Moves runs that enter the horizon into the queue; returns how many, and when the next one
   * enters.
   */
  promote(horizonMs: number, limit: number): Promise<{ promoted: number; nextInMs: number | null }>
  /**
   * Returns all sessions whose lease has expired by the database's clock, one of each tenant in
   * turn, with the server's start as its incarnation.
   */
  expiredSessions(): Promise<ExpiredSessions>
  /** Returns ids of sessions that hold leases but do not exist. */
  orphanSessions(): Promise<readonly string[]>
  /** Fences the sessions and returns or ends their runs. */
  reap(sessionIds: readonly string[], crashesUntilQuarantine: number): Promise<ReapResult>
  /**
   * Releases runs that wait for their job although no run holds it; returns how many were checked.
   */
  resolveParked(olderThanMs: number): Promise<number>
  /**
   * Moves runs forward that wait for their rate behind permits that nobody uses any more; returns
   * how many, or null when there are no rates.
   */
  closeRateGaps(): Promise<number | null>
  /** Creates the partitions of the coming days; returns the created days. */
  ensurePartitions(daysAhead: number): Promise<readonly string[]>
  /**
   * Moves live runs out of days beyond the retention and drops those days; returns the dropped
   * days.
   */
  dropOldDays(retentionDays: number): Promise<readonly string[]>
  /** Deletes small rows that are no longer needed; returns how many. */
  sweep(retentionDays: number): Promise<number>
  /** Vacuums the hot tables that have grown. */
  vacuumHotTables(): Promise<readonly string[]>
}
