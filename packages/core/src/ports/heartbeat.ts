/** Keeps a session alive from outside of the event loop. */
export interface HeartbeatEvents {
  onRenewed(drains: boolean): void
  /** It will run out by this process's clock before it can be renewed. */
  onExpiring(): void
  /** The session was fenced: whatever it held belongs to others now. */
  onLost(): void
  /** It could not be renewed this time; it will be tried again. */
  onFailing(message: string): void
}

export interface Heartbeat {
  /** `openedAgoMs`: how long ago the session was asked for; its lease has been running since then. */
  start(
    sessionId: string,
    leaseMs: number,
    events: HeartbeatEvents,
    openedAgoMs?: number,
  ): { stop(): Promise<void> }
}
