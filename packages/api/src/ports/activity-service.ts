/** The part of the library that the activity route uses. */

/** An event of the activity stream. */
export interface ActivityEvent {
  readonly type: string
  readonly at: Date
}

/** The events of one poll. */
export interface ActivityBatch {
  /** In the order in which they happened; often empty. */
  readonly events: readonly ActivityEvent[]
  /** The mark to resume from when not all of these events were taken. */
  readonly before: string
  /** The mark to resume from when all were taken. */
  readonly after: string
}

/** The start of a feed. */
export interface ActivityStart {
  readonly mark: string
  /** The range whose events are no longer available, when the mark is too old. */
  readonly gap: { readonly from: string; readonly to: string } | null
}

export interface ActivityFilter {
  readonly mark: string
  readonly types: readonly string[]
  readonly signal: AbortSignal
}

export interface ActivityPort {
  /** Types of events about the runs of one tenant. */
  readonly ofTenants: readonly string[]
  /** Types of events about the installation. */
  readonly ofInstallation: readonly string[]
  /**
   * Starts a feed at a mark, or now.
   * @throws `PunctualError` with `invalid_cursor`
   */
  begin(mark?: string): ActivityStart
  /**
   * Polls until the signal is aborted, each time after the last batch was taken: nothing
   * accumulates.
   */
  feed(tenantId: number, start: ActivityFilter): AsyncIterable<ActivityBatch>
}
