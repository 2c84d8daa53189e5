/**
 * The only error class of the embedded server. Every message says what was expected, what was found
 * and what to do. `code` is stable: callers may match it, and the error reference lists it.
 */

export const EmbeddedErrorCode = {
  /** This machine cannot run the packaged PostgreSQL at all. */
  Unavailable: 'EMBEDDED_UNAVAILABLE',
  /** An option or setting has a value that is invalid or not allowed. */
  InvalidOption: 'EMBEDDED_INVALID_OPTION',
  /** Another living process owns the data directory. */
  DataDirInUse: 'EMBEDDED_DATA_DIR_IN_USE',
  /** The data directory cannot be created, read, written or recognised. */
  DataDirUnusable: 'EMBEDDED_DATA_DIR_UNUSABLE',
  /** Another major version of PostgreSQL created the data directory. */
  VersionMismatch: 'EMBEDDED_VERSION_MISMATCH',
  /** Another program uses the requested port. */
  PortInUse: 'EMBEDDED_PORT_IN_USE',
  /** `initdb` failed; its files were removed. */
  InitFailed: 'EMBEDDED_INIT_FAILED',
  /** The server ended or stayed silent while it was starting. */
  StartFailed: 'EMBEDDED_START_FAILED',
} as const

export type EmbeddedErrorCode = (typeof EmbeddedErrorCode)[keyof typeof EmbeddedErrorCode]

export class EmbeddedError extends Error {
  readonly code: EmbeddedErrorCode

  constructor(code: EmbeddedErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedError'
    this.code = code
  }
}

/** The message of any thrown value, for error texts that quote a cause. */
export function describeCause(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** The `code` of a system error (`ENOENT`, `EEXIST`, ...), or undefined for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Whether a file operation failed, as opposed to a bug or an abort. */
export function isFileError(error: unknown): boolean {
  return systemErrorCode(error) !== undefined && error instanceof Error && 'syscall' in error
}
