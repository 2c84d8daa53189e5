/** What a started embedded server offers to its owner. */

/** Why a server process ended. */
export const EmbeddedExitReason = {
  /** `stop()` was called. */
  Stopped: 'stopped',
  /** The process ended, was killed, or did not come back when it was started again. */
  Crashed: 'crashed',
  /** The owner lock was taken or removed by someone else, so the server was ended at once. */
  LockLost: 'lock-lost',
} as const

export type EmbeddedExitReason = (typeof EmbeddedExitReason)[keyof typeof EmbeddedExitReason]

export interface EmbeddedExit {
  readonly reason: EmbeddedExitReason
  /** Exit code of the process, null when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** True while the supervisor is going to start the server again. */
  readonly willRestart: boolean
  /** The last lines that the server logged. */
  readonly logTail: string
}

export interface EmbeddedServer {
  /** `postgres://user:password@127.0.0.1:port/database`. It stays the same across restarts. */
  readonly url: string
  /** Process id of the postmaster; undefined while there is none. */
  readonly pid: number | undefined
  /** Such as `18.4`. */
  readonly version: string
  /** Ends the server and gives the data directory back. Idempotent and joinable. */
  stop(): Promise<void>
  /** Settles, and never rejects, once the server is gone for good. */
  readonly exited: Promise<EmbeddedExit>
}
