/** What the HTTP app needs of the process around it. The composition root provides it; nothing here knows PostgreSQL. */

export interface HealthReport {
  readonly version: string
  readonly uptimeSeconds: number
}

export type Readiness =
  | { readonly ready: true }
  | {
      readonly ready: false
      /** Such as `starting`, `draining` or `database_unavailable`. */
      readonly reason: string
      readonly detail: string
    }

export interface AppLogger {
  debug(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface Ports {
  /** What a living process says of itself. Must not wait for anything. */
  health(): HealthReport
  /** Whether work may be sent here: the database answers and nothing is being shut down. Must not reject. */
  ready(): Promise<Readiness>
  /** The metrics in Prometheus' text format; null while there are none yet. */
  metrics(): Promise<string | null>
}
