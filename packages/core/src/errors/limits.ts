/** Every default and every limit, in one place; docs/reference/configuration.md repeats them. */

export const defaults = {
  /** Requests over HTTP of one key in a second, at each node. */
  httpRate: 1_000,
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
  /** How far behind a standby may be that people read from. */
  readLagMs: 10_000,
  partitionDaysAhead: 14,
  /** How far ahead slots become runs. */
  planAheadMs: 60_000,
  plannerTtlMs: 7_000,
  overlap: 'skip',
  timezone: 'UTC',
  /** How long a key that was rotated is still accepted. */
  rotationOverlapMs: 86_400_000,
  /** Runs or dead letters that one request changes. */
  bulkLimit: 1_000,
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
  httpRateMax: 1_000_000,
  /** Requests without a good key that an address may send in a second. */
  httpFailuresPerSecond: 10,
  /** Keys and addresses whose requests are counted at once. */
  httpCounted: 10_000,
  ratePerMsMax: 30 * 86_400_000,
  ageingMsMin: 1_000,
  ageingMsMax: 30 * 86_400_000,
  weightMax: 1_000,
  windowMsMax: 30 * 86_400_000,
  lanesPerTenant: 10_000,
  calendarsPerJob: 10,
  descriptionLength: 1_024,
  slotsPerBackfill: 100_000,
  /** Runs or jobs of one page. */
  pageSize: 1_000,
  /** Jobs of a tenant that an hour, and a report, tells apart. */
  reportedJobs: 10_000,
  /** Days of one report. */
  reportDays: 366,
  /** Jobs that are counted exactly, and that have a page by number. */
  numberedJobs: 10_000,
  /** Runs that one page looks at before it comes back short. */
  pageLooks: 60_000,
  /** Runs that one count looks at before it says that it is not exact. */
  countedRuns: 100_000,
  /** What an entry of the audit log keeps of a value before it is cut. */
  auditValueBytes: 4_096,
  auditEntriesPerPage: 1_000,
  /** Shorter ones cannot be told from other text, and would not be redacted. */
  secretLengthMin: 8,
  secretBytes: 65_536,
  runsPerClaim: 1_500,
  /** The runs of one answer to a remote worker; one run may be larger. */
  claimBytes: 16_777_216,
  claimWaitMsMax: 20_000,
  outcomesPerSettle: 1_000,
  linesPerLogRequest: 1_000,
  /** A batch of outcomes; one output may be as large as the ceiling. */
  workerBodyBytes: 33_554_432,
  handlersPerWorker: 1_000,
  leaseMsMin: 1_000,
  leaseMsMax: 3_600_000,
  /** Longer than the take-over of a dead planner, which must not make anything late. */
  planAheadMsMin: 10_000,
  planAheadMsMax: 600_000,
  readLagMsMax: 3_600_000,
  tenantNameLength: 63,
  apiKeysPerTenant: 1_000,
  rotationOverlapMsMax: 30 * 86_400_000,
  quotaJobsMax: 100_000_000,
  executorKindsMax: 32,
  /** Streams that a key has open at one server. */
  streamsPerKey: 20,
  /** How far back a stream of events goes on. */
  activityResumeMs: 86_400_000,
  /** Events that one look takes. */
  activityPerRead: 1_000,
  usageDaysMax: 400,
} as const
