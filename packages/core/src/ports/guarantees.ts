/** The facts about a server, and the promises that hold on it. */

/** A promise that docs/concepts/guarantees.md explains. */
export type PromiseName =
  | 'one-slot'
  | 'one-outcome'
  | 'nothing-lost'
  | 'honest-effects'
  | 'database-clock'

/** A standby of the server, as far as this role can see it. */
export interface StandbyFacts {
  /** The `application_name` of the standby. */
  readonly name: string
  /** `sync`, `quorum`, `potential` or `async`; null when this role cannot see it. */
  readonly syncState: string | null
  /** `streaming`, `catchup` …; null when this role cannot see it. */
  readonly state: string | null
}

/** The standby that serves lists and reports. */
export interface ReadStandbyFacts {
  /** The maximum lag: a standby that is further behind is skipped. */
  readonly allowedMs: number
  /** The upper bound of its lag; null when it is skipped. */
  readonly lagMs: number | null
  /** Why it is skipped, and the primary read instead; null when it is used. */
  readonly skippedBecause: string | null
}

/**
 * The facts by which guarantees are judged: settings of the server, its standbys, its connections
 * and clocks.
 */
export interface GuaranteeFacts {
  /** The version of PostgreSQL. */
  readonly version: string
  /** The timeline of the server, which changes with every failover. */
  readonly timeline: string
  /** When the server was started. */
  readonly startedAt: Date
  /** Whether it refuses writes, as a standby does. */
  readonly readOnly: boolean
  /** Whether commits are flushed to disk. */
  readonly fsync: boolean
  /** Whether half-written pages are repaired after a crash. */
  readonly fullPageWrites: boolean
  /** Whether pages that the disk has changed are detected. */
  readonly dataChecksums: boolean
  /** The setting that connections of this process get, by role and database. */
  readonly synchronousCommit: string
  /** The setting that names the standbys for which commits wait. */
  readonly synchronousStandbyNames: string
  /** The connected standbys. */
  readonly standbys: readonly StandbyFacts[]
  /** How many more connections the server accepts. */
  readonly connectionsFree: number
  /** Whether a pooler is between this process and the server. */
  readonly pooled: boolean
  /** How far the clock of this machine is ahead of the server's. */
  readonly clockOffsetMs: number
  /** The version of the time zone data of this process. */
  readonly zoneData: string
  /** The versions of all live planners; null when the schema is missing. */
  readonly plannerZoneData: readonly string[] | null
  /** Whether row security backs up the tenant predicates, or what it lacks; null when unknown. */
  readonly rowSecurity: RowSecurityState | null
  /** The source of lists and reports; null when that is the primary. */
  readonly readStandby: ReadStandbyFacts | null
}

/** Whether row security separates tenants, or what it lacks. */
export type RowSecurityState =
  | 'up'
  /** The role as which requests of tenants run does not exist. */
  | 'no_role'
  /** The role of this connection may not switch to that role. */
  | 'not_a_member'
  /** The user that logged in reads the tables only as that role, for which the policies show nothing. */
  | 'login_not_granted'
  /** That role could see more rows than the policies allow. */
  | 'role_too_strong'
  /** A table with rows of tenants has no policy. */
  | 'table_open'
  /** Such a table exists, and the role has no privileges on it: its rows are out of reach. */
  | 'table_closed'

/** A finding that weakens promises on this server. */
export interface Weakness {
  /** A stable identifier for programs. */
  readonly cause: string
  /** The finding and its meaning. */
  readonly why: string
  /** How to fix it. */
  readonly advice: string
  /** The promises that it weakens. */
  readonly weakens: readonly PromiseName[]
}

/** The verdict on one promise. */
export interface Guarantee {
  /** The promise; stable, for programs. */
  readonly promise: PromiseName
  /** A title for readers. */
  readonly title: string
  /** `weakened` when there is a cause. */
  readonly verdict: 'holds' | 'weakened'
  /** The causes of the weaknesses that apply to it. */
  readonly causes: readonly string[]
}

/** The result of `punctual.guarantees`. */
export interface GuaranteePanel {
  /** `holds` when every promise holds. */
  readonly verdict: 'holds' | 'weakened'
  /** The verdict on every promise. */
  readonly guarantees: readonly Guarantee[]
  /** The findings that weaken promises. */
  readonly weaknesses: readonly Weakness[]
  /** Findings that weaken no promise but are worth knowing. */
  readonly notes: readonly string[]
  /** The facts on which the verdicts are based. */
  readonly facts: GuaranteeFacts
}
