/** The logger interface that Punctual uses: pino, console and most others implement it. */
export interface Logger {
  /** Details for diagnosis. */
  debug(fields: object, message: string): void
  /** Normal operation, such as partitions that were created. */
  info(fields: object, message: string): void
  /** Unexpected conditions that Punctual handles by itself, such as a lost lease. */
  warn(fields: object, message: string): void
  /** Failures that need attention; `fields.err` holds the error, if there is one. */
  error(fields: object, message: string): void
}
