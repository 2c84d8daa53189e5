/** Every default and every limit, in one place; docs/reference/configuration.md repeats them. */

export const defaults = {
  queue: 'default',
  /** 0-10, higher first. */
  priority: 5,
  /** The first attempt is included. */
  maxAttempts: 3,
  timeoutMs: 300_000,
  leaseMs: 30_000,
  /** How long the main thread may not tick before its heartbeat stops renewing. */
  stallMs: 300_000,
  crashesUntilQuarantine: 3,
  concurrency: 50,
  drainMs: 30_000,
  /** A run due within the horizon goes straight to the queue; one beyond it waits in `later`. */
  horizonMs: 60_000,
  retentionDays: 90,
  partitionDaysAhead: 14,
  /** How far ahead slots become runs. */
  planAheadMs: 60_000,
  plannerTtlMs: 7_000,
  overlap: 'skip',
  timezone: 'UTC',
} as const

export const limits = {
  priorityMin: 0,
  priorityMax: 10,
  attemptsMax: 1_000,
  timeoutMsMax: 2_000_000_000,
  delayMsMax: 100 * 366 * 86_400_000,
  payloadBytes: 1_048_576,
  outputBytes: 1_048_576,
  payloadBytesCeiling: 16_777_216,
  payloadDepth: 100,
  nameLength: 128,
  keyLength: 255,
  labelsPerRun: 16,
  labelKeyLength: 64,
  labelValueLength: 256,
  createdByLength: 256,
  traceLength: 512,
  batchSize: 10_000,
  membersPerGroup: 100_000,
  checkpointBytes: 1_048_576,
  logBytesPerRun: 10_485_760,
  logMessageLength: 32_768,
  logLinesPerPage: 10_000,
  errorMessageLength: 8_192,
  errorStackLength: 32_768,
  concurrencyMax: 10_000,
  rateMax: 1_000_000,
  ratePerMsMax: 30 * 86_400_000,
  ageingMsMin: 1_000,
  ageingMsMax: 30 * 86_400_000,
  weightMax: 1_000,
  windowMsMax: 30 * 86_400_000,
  lanesPerTenant: 10_000,
  calendarsPerJob: 10,
  descriptionLength: 1_024,
  slotsPerBackfill: 100_000,
  /** Longer than the take-over of a dead planner, which must not make anything late. */
  planAheadMsMin: 10_000,
  planAheadMsMax: 600_000,
} as const
