/**
 * The process as the HTTP app sees it, provided by the composition root. Nothing here knows
 * PostgreSQL.
 */

export interface HealthReport {
  readonly version: string
  readonly uptimeSeconds: number
}

export type Readiness =
  | { readonly ready: true }
  | {
      readonly ready: false
      /** Such as `starting`, `draining`, `database_unavailable` or `row_security_missing`. */
      readonly reason: string
      /** Shown to callers without a key: it names nothing of the installation. */
      readonly detail: string
    }

export interface AppLogger {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

export interface Ports {
  /** The state of a live process. Must not wait for anything. */
  health(): HealthReport
  /**
   * Whether this node accepts work: the database answers and no shutdown is in progress. Must not
   * reject.
   */
  ready(): Promise<Readiness>
  /**
   * The metrics in Prometheus' text format; null until the first ones exist. Without `named` only
   * those that name no queue and no handler.
   */
  metrics(which: { readonly named: boolean }): Promise<string | null>
}
