/** A started embedded server, as its owner sees it. */

/** Why a server process ended. */
export const EmbeddedExitReason = {
  /** `stop()` was called. */
  Stopped: 'stopped',
  /** The process ended, was killed, or failed to restart. */
  Crashed: 'crashed',
  /** Another process took or removed the owner lock, so the server was ended immediately. */
  LockLost: 'lock-lost',
} as const

export type EmbeddedExitReason = (typeof EmbeddedExitReason)[keyof typeof EmbeddedExitReason]

export interface EmbeddedExit {
  readonly reason: EmbeddedExitReason
  /** Exit code of the process; null when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The supervisor will start the server again. */
  readonly willRestart: boolean
  /** The last lines that the server logged. */
  readonly logTail: string
}

export interface EmbeddedServer {
  /** `postgres://user:password@127.0.0.1:port/database`. It stays the same across restarts. */
  readonly url: string
  /** Process id of the postmaster; undefined while no server process runs. */
  readonly pid: number | undefined
  /** The PostgreSQL version, such as `18.4`. */
  readonly version: string
  /** Ends the server and releases the data directory. Idempotent and joinable. */
  stop(): Promise<void>
  /** Resolves, and never rejects, once the server has ended for good. */
  readonly exited: Promise<EmbeddedExit>
}
