export type { Operations } from './api.gen.ts'
export { type ApiKey, ApiKeys, type NewApiKey } from './api-keys.ts'
export { Audit, type AuditEntry, type AuditPage } from './audit.ts'
export { type BulkAnswer, type BulkItem, type BulkOptions, PunctualBulkError } from './bulk.ts'
export { type Calendar, Calendars } from './calendars.ts'
export { type Client, createClient } from './client.ts'
export type { ClientOptions, Fetch } from './client-options.ts'
export { Connection } from './connection.ts'
export {
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterPage,
  DeadLetters,
} from './dead-letters.ts'
export { type EventOptions, events, type PunctualEvent } from './events.ts'
export { type Group, Groups } from './groups.ts'
export { PunctualHttpError, type TransportCode } from './http-error.ts'
export {
  type Job,
  type JobChange,
  type JobDefinition,
  type JobFilter,
  type JobPage,
  Jobs,
  type NewJob,
} from './jobs.ts'
export { Listing } from './listing.ts'
export type { AnswerOf, BodyOf, CallOptions, InputOf, OperationName, QueryOf } from './operation.ts'
export { type Queue, type QueueLimit, Queues } from './queues.ts'
export type { LogLine, LogOptions } from './run-logs.ts'
export {
  type NewRun,
  type Run,
  type RunFilter,
  type RunItem,
  type RunPage,
  Runs,
  type SteeredRun,
  type SubmittedRun,
} from './runs.ts'
export { Secrets } from './secrets.ts'
export { Stats } from './stats.ts'
export { type Tenant, Tenants } from './tenants.ts'
export { type Worker, Workers } from './workers.ts'
