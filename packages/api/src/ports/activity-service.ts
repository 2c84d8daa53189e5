/** What the route of events needs of the library. */

/** What happened. */
export interface ActivityEvent {
  readonly type: string
  readonly at: Date
}

/** What was found by one look. */
export interface ActivityBatch {
  /** In the order in which it happened; mostly nothing. */
  readonly events: readonly ActivityEvent[]
  /** Where to go on when not all of these were taken. */
  readonly before: string
  /** Where to go on when they were. */
  readonly after: string
}

/** Where a feed begins. */
export interface ActivityStart {
  readonly mark: string
  /** What cannot be told any more, when the mark is too old. */
  readonly gap: { readonly from: string; readonly to: string } | null
}

export interface ActivityFilter {
  readonly mark: string
  readonly types: readonly string[]
  readonly signal: AbortSignal
}

export interface ActivityPort {
  /** Names of events that are told of a tenant's own runs. */
  readonly ofTenants: readonly string[]
  /** Names of those that are told of the installation. */
  readonly ofInstallation: readonly string[]
  /**
   * Where a feed begins that goes on from a mark, or now.
   * @throws `PunctualError` with `invalid_cursor`
   */
  begin(mark?: string): ActivityStart
  /** Looks again and again until the signal is aborted, once the look before was taken: nothing piles up here. */
  feed(tenantId: number, start: ActivityFilter): AsyncIterable<ActivityBatch>
}
