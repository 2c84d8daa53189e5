/** What the role that finishes groups asks of the store. */
export interface GroupLook {
  /** How many groups were open when they were looked at. */
  readonly open: number
  /** How many had come further. */
  readonly moved: number
  /** How many are done now, by this look. */
  readonly done: number
  /** Some of them had more members to pass than one look may. */
  readonly more: boolean
}

export interface GroupUpkeep {
  /** Looks once at every group that is not done, and finishes those whose members have all ended. */
  look(): Promise<GroupLook>
}
