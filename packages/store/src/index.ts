export { redactUrl } from './connection-url.ts'
export { readGuaranteeFacts } from './doctor/guarantee-facts.ts'
export { type ExamineOptions, examine, type Finding, type Level } from './doctor.ts'
export * from './embedded/index.ts'
export { asUnavailable } from './faults.ts'
export { createHeartbeat, type HeartbeatOptions } from './heartbeat/heartbeat.ts'
export { type InstallScript, installScript } from './install-script.ts'
export type { StoredJob } from './job-rows.ts'
export type { BackfillResult } from './job-steering.ts'
export type { JobFilter, JobResult } from './job-store.ts'
export type { Accepted, Queryable } from './keyed-submitter.ts'
export type { LedgerProof, PlacedRun, ScannedSlot } from './ledger-proof.ts'
export type { LetterCount } from './letter-reader.ts'
export type { HandledBy, ReplayAnswer } from './letter-steering.ts'
export {
  loadMigrations,
  type Migration,
  migrate,
  migrationStatus,
} from './migrations.ts'
export { PostgresStore, type PostgresStoreOptions } from './postgres-store.ts'
export type { LaneDepth, Pause } from './queue-store.ts'
export { type RetryOptions, retrying } from './retrying.ts'
export type { FilterInStore } from './run-filter-values.ts'
export type { ListFilter } from './run-reader.ts'
export type { ResolveAnswer } from './run-resolution.ts'
export { isSchemaName } from './statements.ts'
export { systemClock, systemRandom } from './system-ports.ts'
export type { WorkerSession } from './worker-steering.ts'
