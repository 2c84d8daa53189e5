/** Keeps a session alive from outside the event loop. */
export interface HeartbeatEvents {
  onRenewed(drains: boolean): void
  /** The lease will expire by this process's clock before it can be renewed. */
  onExpiring(): void
  /** The session was fenced: its runs belong to other sessions now. */
  onLost(): void
  /** The lease could not be renewed this time; the next renewal is pending. */
  onFailing(message: string): void
}

export interface Heartbeat {
  /**
   * `openedAgoMs`: how long ago the session was requested; its lease has been running since then.
   */
  start(
    sessionId: string,
    leaseMs: number,
    events: HeartbeatEvents,
    openedAgoMs?: number,
  ): { stop(): Promise<void> }
}
