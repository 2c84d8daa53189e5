/** What a server was found to be like, and which promises hold on it. */

/** One of the promises that docs/concepts/guarantees.md explains. */
export type PromiseName =
  | 'one-slot'
  | 'one-outcome'
  | 'nothing-lost'
  | 'honest-effects'
  | 'database-clock'

/** A standby of the server, as far as this role may see it. */
export interface StandbyFacts {
  /** Its `application_name`. */
  readonly name: string
  /** `sync`, `quorum`, `potential` or `async`; null when this role may not see it. */
  readonly syncState: string | null
  /** `streaming`, `catchup` …; null when this role may not see it. */
  readonly state: string | null
}

/** The standby that people read lists and reports from. */
export interface ReadStandbyFacts {
  /** How far behind it may be, or it is passed by. */
  readonly allowedMs: number
  /** How far behind it is at most; null when it is passed by. */
  readonly lagMs: number | null
  /** Why it is passed by, and the primary read instead; null when it is not. */
  readonly passedBy: string | null
}

/** What was found: settings of the server, its standbys, its connections and clocks. */
export interface GuaranteeFacts {
  /** The version of PostgreSQL. */
  readonly version: string
  /** Counts fail-overs: another one after each. */
  readonly timeline: string
  /** When the server was started. */
  readonly startedAt: Date
  /** It takes no writes, as a standby does. */
  readonly readOnly: boolean
  /** Commits are flushed to disk. */
  readonly fsync: boolean
  /** Pages that were half written are put right after a crash. */
  readonly fullPageWrites: boolean
  /** Pages that the disk has changed are noticed. */
  readonly dataChecksums: boolean
  /** As connections of this process get it, by role and database. */
  readonly synchronousCommit: string
  /** The standbys that commits wait for, as PostgreSQL is told. */
  readonly synchronousStandbyNames: string
  /** The standbys that are connected. */
  readonly standbys: readonly StandbyFacts[]
  /** How many more connections the server takes. */
  readonly connectionsFree: number
  /** A pooler stands between this process and the server. */
  readonly pooled: boolean
  /** How far the clock of this machine is ahead of the server's. */
  readonly clockOffsetMs: number
  /** The version of the time zone data of this process. */
  readonly zoneData: string
  /** The versions of all planners that are alive; null when the schema is not there. */
  readonly plannerZoneData: readonly string[] | null
  /** Whether row security stands behind the predicates between tenants; what is missing otherwise, null when unknown. */
  readonly rowSecurity: RowSecurityState | null
  /** Where lists and reports come from; null when that is the primary. */
  readonly readStandby: ReadStandbyFacts | null
}

/** Whether there is a second wall between tenants, and what is missing otherwise. */
export type RowSecurityState =
  | 'up'
  /** The role that requests of tenants run as is not there. */
  | 'no_role'
  /** The role of this connection may not work as it. */
  | 'not_a_member'
  /** It could see more than the policies let it. */
  | 'role_too_strong'
  /** A table with rows of tenants has no policy. */
  | 'table_open'

/** Something that weakens promises here. */
export interface Weakness {
  /** Stable, for programs. */
  readonly cause: string
  /** What was found, and what it means. */
  readonly why: string
  /** What to do about it. */
  readonly advice: string
  /** The promises that it concerns. */
  readonly weakens: readonly PromiseName[]
}

/** Whether one promise holds. */
export interface Guarantee {
  /** Which one; stable, for programs. */
  readonly promise: PromiseName
  /** Its name, for people. */
  readonly title: string
  /** `weakened` when there is a cause. */
  readonly verdict: 'holds' | 'weakened'
  /** The causes of the weaknesses that concern it. */
  readonly causes: readonly string[]
}

/** What `punctual.guarantees` answers. */
export interface GuaranteePanel {
  /** `holds` when every promise does. */
  readonly verdict: 'holds' | 'weakened'
  /** The verdict of every promise. */
  readonly guarantees: readonly Guarantee[]
  /** What weakens them. */
  readonly weaknesses: readonly Weakness[]
  /** What weakens nothing, and is good to know. */
  readonly notes: readonly string[]
  /** What all of that was judged by. */
  readonly facts: GuaranteeFacts
}
