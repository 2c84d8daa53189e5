export { redactUrl } from './connection-url.ts'
export { type ExamineOptions, examine, type Finding, type Level } from './doctor.ts'
export * from './embedded/index.ts'
export { createHeartbeat, type HeartbeatOptions } from './heartbeat/heartbeat.ts'
export { type InstallScript, installScript } from './install-script.ts'
export type { StoredJob } from './job-rows.ts'
export type { BackfillResult } from './job-steering.ts'
export type { JobFilter, JobResult } from './job-store.ts'
export type { Accepted, Queryable } from './keyed-submitter.ts'
export type { LedgerProof, PlacedRun, ScannedSlot } from './ledger-proof.ts'
export {
  loadMigrations,
  type Migration,
  migrate,
  migrationStatus,
} from './migrations.ts'
export { type LaneDepth, PostgresStore, type PostgresStoreOptions } from './postgres-store.ts'
export { type RetryOptions, retrying } from './retrying.ts'
export type { ListFilter } from './run-reader.ts'
export { isSchemaName } from './statements.ts'
export { systemClock, systemRandom } from './system-ports.ts'
