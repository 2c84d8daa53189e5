/** What Punctual needs of a logger: pino, console and most others fit. */
export interface Logger {
  /** For those who look for a fault. */
  debug(fields: object, message: string): void
  /** What happens. */
  info(fields: object, message: string): void
  /** What should not be so. */
  warn(fields: object, message: string): void
  /** What went wrong. */
  error(fields: object, message: string): void
}
