/** The store port of the role that finishes groups. */
export interface GroupLook {
  /** The number of open groups that were checked. */
  readonly open: number
  /** The number of groups that made progress. */
  readonly moved: number
  /** The number of groups that this check finished. */
  readonly done: number
  /** Whether some groups have more ended members than one check may count. */
  readonly more: boolean
}

export interface GroupUpkeep {
  /** Checks every unfinished group once, and finishes those whose members have all ended. */
  look(): Promise<GroupLook>
}
