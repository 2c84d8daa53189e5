export { type Client, createClient } from './client.ts'
export type { Operations } from './http/api.gen.ts'
export type { ClientOptions, Fetch } from './http/client-options.ts'
export { Connection } from './http/connection.ts'
export { PunctualHttpError, type TransportCode } from './http/http-error.ts'
export { Listing } from './http/listing.ts'
export type {
  AnswerOf,
  BodyOf,
  CallOptions,
  InputOf,
  OperationName,
  QueryOf,
} from './http/operation.ts'
export { type ActivityEvent, type ActivityOptions, activity } from './resources/activity.ts'
export { type ApiKey, ApiKeys, type NewApiKey } from './resources/api-keys.ts'
export { Audit, type AuditEntry, type AuditPage } from './resources/audit.ts'
export {
  type BulkAnswer,
  type BulkItem,
  type BulkOptions,
  PunctualBulkError,
} from './resources/bulk.ts'
export { type Calendar, Calendars } from './resources/calendars.ts'
export {
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterPage,
  DeadLetters,
} from './resources/dead-letters.ts'
export { type Group, Groups } from './resources/groups.ts'
export {
  type Job,
  type JobChange,
  type JobDefinition,
  type JobFilter,
  type JobPage,
  Jobs,
  type NewJob,
} from './resources/jobs.ts'
export { type Queue, type QueueLimit, Queues } from './resources/queues.ts'
export type { LogLine, LogOptions } from './resources/run-logs.ts'
export {
  type NewRun,
  type Run,
  type RunFilter,
  type RunItem,
  type RunPage,
  Runs,
  type SteeredRun,
  type SubmittedRun,
} from './resources/runs.ts'
export { Secrets } from './resources/secrets.ts'
export { Stats } from './resources/stats.ts'
export { type Tenant, Tenants } from './resources/tenants.ts'
export { type Worker, Workers } from './resources/workers.ts'
