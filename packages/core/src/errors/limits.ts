/** Every default and every limit; docs/reference/configuration.md repeats them. */

export const defaults = {
  /** HTTP requests per second and API key, at each node. */
  httpRate: 1_000,
  /** HTTP requests per second of all keys of a tenant, at each node. */
  tenantHttpRate: 5_000,
  /** Activity and log streams that all keys of a tenant have open at a node. */
  tenantStreams: 500,
  /** Claims and waits for hints of a tenant in flight at a node: two for each of 1,000 sessions. */
  tenantWaits: 2_000,
  queue: 'default',
  /** 0-10, higher first. */
  priority: 5,
  /** Includes the first attempt. */
  maxAttempts: 3,
  timeoutMs: 300_000,
  leaseMs: 30_000,
  /** The longest rest of the reaper: sessions with a shorter lease are announced by a hint. */
  shortLeaseMs: 15_000,
  /**
   * How long the main thread may be blocked before the heartbeat thread stops renewing its lease.
   */
  stallMs: 300_000,
  crashesUntilQuarantine: 3,
  concurrency: 50,
  drainMs: 30_000,
  /** A run due within the horizon goes straight to the queue; a later one waits in `later`. */
  horizonMs: 60_000,
  retentionDays: 90,
  /** How far the read replica may lag behind. */
  readLagMs: 10_000,
  partitionDaysAhead: 14,
  /** How far ahead the planner turns slots into runs. */
  planAheadMs: 60_000,
  plannerTtlMs: 7_000,
  overlap: 'skip',
  timezone: 'UTC',
  /** How long a rotated API key is still accepted. */
  rotationOverlapMs: 86_400_000,
  /** Runs or dead letters changed by one request. */
  bulkLimit: 1_000,
} as const

export const limits = {
  priorityMin: 0,
  priorityMax: 10,
  attemptsMax: 1_000,
  /** Interrupted attempts of a run, after which it is dead. */
  interruptionsMax: 1_000,
  /** Where the number of attempts of a run saturates. */
  attemptsCounted: 32_767,
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
  /** Requests per second with an invalid API key from one address. */
  httpFailuresPerSecond: 10,
  /** API keys and addresses whose requests are counted at the same time. */
  httpCounted: 10_000,
  ratePerMsMax: 30 * 86_400_000,
  /** How far ahead the starts of a rate are booked; later runs wait without a booking. */
  rateHorizonMs: 366 * 86_400_000,
  /** When a run beyond the horizon of its rate tries to book a start once more. */
  rateAgainMs: 86_400_000,
  ageingMsMin: 1_000,
  ageingMsMax: 30 * 86_400_000,
  weightMax: 1_000,
  windowMsMax: 30 * 86_400_000,
  /** Combinations of queue, handler and priority of a tenant without a quota of `lanes`. */
  lanesPerTenant: 1_000,
  quotaLanesMax: 10_000,
  /** Queues that are paused one by one; they need not exist. */
  pausesPerTenant: 1_000,
  /** Queues with limits; they need not exist. */
  limitsPerTenant: 1_000,
  /** Groups that are not done. */
  openGroupsPerTenant: 10_000,
  calendarsPerJob: 10,
  calendarsPerTenant: 1_000,
  /** The JSON of a calendar. */
  calendarBytes: 65_536,
  descriptionLength: 1_024,
  slotsPerBackfill: 100_000,
  /** How far ahead `misfire.dripMs` places the last run that catches up. */
  catchUpMs: 7 * 86_400_000,
  /** Runs or jobs per page. */
  pageSize: 1_000,
  /** Payloads, outputs and calendars of one page, which is shorter instead. */
  pageBytes: 8_388_608,
  /** Jobs of a tenant that are counted separately in an hour and in a report. */
  reportedJobs: 10_000,
  /** Days covered by one report. */
  reportDays: 366,
  /** Jobs that are counted exactly and reachable by page number. */
  numberedJobs: 10_000,
  /** Runs that one page reads before it returns incomplete. */
  pageLooks: 60_000,
  /** Runs that one count reads before it returns as inexact. */
  countedRuns: 100_000,
  /** The size at which an audit log entry truncates a value. */
  auditValueBytes: 4_096,
  auditEntriesPerPage: 1_000,
  /** Shorter secrets are indistinguishable from other text and would not be redacted. */
  secretLengthMin: 8,
  secretBytes: 65_536,
  secretsPerTenant: 1_000,
  runsPerClaim: 1_500,
  /** The payloads that one claim loads; one run more may exceed it. */
  claimBytes: 16_777_216,
  /** The responses to claims that a node assembles and sends at the same time. */
  answerBytes: 134_217_728,
  /** How long a remote worker may take to read the response to a claim. */
  answerReadMs: 60_000,
  claimWaitMsMax: 20_000,
  outcomesPerSettle: 1_000,
  linesPerLogRequest: 1_000,
  /** A batch of outcomes; one output may reach `payloadBytesCeiling`. */
  workerBodyBytes: 33_554_432,
  handlersPerWorker: 1_000,
  leaseMsMin: 3_000,
  leaseMsMax: 600_000,
  /** Longer than taking over from a dead planner, which must not make any slot late. */
  planAheadMsMin: 10_000,
  planAheadMsMax: 600_000,
  readLagMsMax: 3_600_000,
  tenantNameLength: 63,
  apiKeysPerTenant: 1_000,
  rotationOverlapMsMax: 30 * 86_400_000,
  quotaJobsMax: 100_000_000,
  /** Sessions of remote workers that a tenant without a quota may have. */
  sessionsPerTenant: 1_000,
  quotaSessionsMax: 100_000,
  tenantStreamsMax: 100_000,
  tenantWaitsMax: 1_000_000,
  executorKindsMax: 32,
  /** The JSON of a target. */
  targetBytes: 65_536,
  targetTextLength: 32_768,
  targetEntries: 64,
  /** Streams open at the same time per API key, at one server. */
  streamsPerKey: 20,
  /** How far back an activity stream can resume. */
  activityResumeMs: 86_400_000,
  /** Activity entries per read. */
  activityPerRead: 1_000,
  usageDaysMax: 400,
} as const
