/**
 * The pages of the API reference with their names, in the order in which a reader needs them.
 * find-problems.mjs reports an exported name that is on no page.
 */
export const pages = [
  {
    file: 'punctual.md',
    title: 'Punctual',
    about:
      'The object that a program starts: it submits runs, registers handlers, and gives access to everything else.',
    names: [
      ...[
        'Punctual',
        'TenantScope',
        'PunctualOptions',
        'WorkerSettings',
        'RemoteWorker',
        'RemoteWorkerOptions',
        'RoleName',
        'Logger',
        'Metrics',
        'Instant',
      ],
      'version',
    ],
  },
  {
    file: 'submitting.md',
    title: 'Submitting',
    about:
      'The options and results of `submit` and `submitMany`. The guides are [The library](../../guides/library.md), [Flow control](../../guides/flow-control.md) and [Transactions](../../guides/transactions.md).',
    names: [
      ...['SubmitOptions', 'SubmitCallOptions', 'SubmitManyOptions', 'Submitted', 'HandlerHandle'],
      ...['RunOptions', 'KeyOptions', 'OnConflict', 'SubmitOutcome', 'TimeSpan'],
      ...[
        'Delivery',
        'RetryPolicyInput',
        'BackoffInput',
        'ConcurrencyOptions',
        'RateOptions',
        'FlowKey',
      ],
      ...[
        'Target',
        'TargetKindName',
        'HandlerTarget',
        'HttpTarget',
        'HttpSuccess',
        'ShellTarget',
        'SshTarget',
        'GrpcTarget',
      ],
      ...['OpenTransaction', 'Queryable', 'DrizzleTransaction', 'KnexTransaction'],
      ...['KyselyTransaction', 'PrismaTransaction'],
    ],
  },
  {
    file: 'handlers.md',
    title: 'Handlers',
    about:
      'The options of `punctual.handler`, the context that a handler receives, and claiming runs without a handler. The guides are [Isolated handlers and batches](../../guides/handlers.md) and [Claiming by hand](../../guides/manual-claims.md).',
    names: [
      ...['RegisterHandler', 'HandlerFunction', 'HandlerContext', 'SlotOfRun', 'RunLog'],
      ...['Awaiting', 'AwaitOptions', 'Callback'],
      ...['TransactionClient', 'HandlerOptions', 'InlineOptions', 'IsolatedOptions'],
      ...[
        'BatchOptions',
        'BatchFunction',
        'BatchItem',
        'BatchOutcomes',
        'WithSchema',
        'GivenSchema',
        'CompiledType',
      ],
      ...['PayloadSchema', 'SchemaResult', 'SchemaIssue', 'InputOf', 'OutputOf'],
      ...['Middleware', 'HandlerCall', 'ClaimOptions', 'HeldRun', 'RunFate'],
    ],
  },
  {
    file: 'runs.md',
    title: 'Runs',
    about:
      'Reading runs, waiting for them and changing them: `punctual.runs`. The guide is [Steering](../../guides/steering.md); [The life of a run](../../concepts/lifecycle.md) explains the states.',
    names: [
      ...['Runs', 'RunReference', 'Run', 'RunDefinition', 'WaitingRun', 'RunningRun'],
      ...['AwaitingRun', 'AwaitingReports', 'FailOptions', 'ReportedState'],
      ...['FinishedRun', 'RunState', 'LiveState', 'FinalState', 'Attempt', 'AttemptOutcome'],
      ...[
        'Failure',
        'JobOfRun',
        'RunPolicy',
        'RetryPolicy',
        'Backoff',
        'RunConcurrency',
        'RunRate',
      ],
      ...['RunSummary', 'RunFilter', 'TimeRange', 'ListOptions', 'WaitOptions', 'LogOptions'],
      ...['LogLine', 'LogPosition', 'CancelAnswer', 'TooLate'],
      ...['RunPageFilter', 'RunPageOptions', 'RunOrder', 'RunPage', 'RunItem'],
      ...['RunCountOptions', 'CountBy', 'RunCount', 'RunGroup'],
      ...['RunExplanation', 'RunObstacle', 'AdmittedRun', 'WorkerInReach'],
      ...['Stats', 'RecentEnds', 'Ends', 'ReportOptions', 'Report', 'ReportRow'],
      ...['BulkOptions', 'CancelManyOptions', 'BulkProgress', 'BulkResult'],
      ...['Resolution', 'RunResolution', 'ResolveResult', 'HandlingOptions'],
    ],
  },
  {
    file: 'jobs.md',
    title: 'Jobs and schedules',
    about:
      'Jobs run on a schedule, or once under a name: `punctual.jobs`. The guide is [Schedules](../../guides/schedules.md); [Time zones](../../concepts/time-zones-and-dst.md) explains when exactly a schedule fires.',
    names: [
      ...['Jobs', 'JobOptions', 'DstOptions', 'GapPolicy', 'FoldPolicy', 'DayRule'],
      ...['MisfireRules', 'Overlap', 'Job', 'JobRules', 'When', 'JobResult', 'JobChange'],
      ...['JobPageFilter', 'JobPageOptions', 'JobPage', 'JobItem', 'JobStatus', 'LatestRun'],
      ...[
        'JobFilter',
        'CreateOptions',
        'SyncOptions',
        'SyncResult',
        'BackfillOptions',
        'BackfillResult',
      ],
      ...['SlotPage', 'SlotsOptions', 'JobSlot', 'SlotReason', 'SlotExplanation'],
      ...['Calendars', 'CalendarInput', 'WindowInput'],
      ...['nextFires', 'previewFires', 'NextFiresOptions', 'PreviewOptions'],
      ...['FirePreview'],
    ],
  },
  {
    file: 'groups.md',
    title: 'Groups',
    about:
      'Runs that are submitted together, with one callback when all have ended: `punctual.groups`. The guide is [Groups](../../guides/groups.md).',
    names: [
      ...['Groups', 'GroupReference', 'GroupOptions', 'GroupRun', 'GroupCallbackOptions'],
      ...['GroupCallOptions', 'GroupHandle', 'Group', 'GroupSummary', 'GroupCounts'],
      ...['GroupDone', 'GroupResult', 'GroupMember', 'GroupCancelResult'],
      ...['GroupListOptions', 'GroupRunsOptions'],
    ],
  },
  {
    file: 'dead-letters.md',
    title: 'Dead letters',
    about:
      'Listing, replaying and discarding runs that died: `punctual.deadLetters`. The guide is [Dead letters](../../guides/dead-letters.md).',
    names: [
      ...['DeadLetters', 'DeadLetter', 'DeadLetterDetails', 'DeadLetterFilter', 'DeadLetterState'],
      ...[
        'DeadLetterPage',
        'DeadLetterListOptions',
        'DeadLetterCause',
        'DeadLetterHandling',
        'Handling',
      ],
      ...['ReplayOptions', 'ReplayResult', 'KeyBusy', 'ManyOptions', 'ReplayPace'],
      ...['ReplayManyOptions', 'ReplayProgress', 'ReplayManyResult', 'DiscardManyResult'],
    ],
  },
  {
    file: 'queues-and-workers.md',
    title: 'Queues and workers',
    about:
      'Depth, pauses and limits of queues, and the workers that serve them: `punctual.queues`, `punctual.limits` and `punctual.workers`. The guides are [Steering](../../guides/steering.md), [Flow control](../../guides/flow-control.md) and [Workers](../../guides/workers.md).',
    names: [
      ...[
        'Queues',
        'Queue',
        'LaneDepth',
        'Pause',
        'PauseOptions',
        'Limits',
        'LimitOptions',
        'LimitInForce',
        'QueueLimits',
      ],
      ...['Workers', 'WorkerProcess', 'WorkerState', 'StuckHandler', 'DrainedOptions'],
    ],
  },
  {
    file: 'tenants-and-keys.md',
    title: 'Tenants and API keys',
    about:
      'Tenants, their quotas, and the API keys that identify callers: `punctual.tenants`, `punctual.apiKeys` and `punctual.authenticate`. The guide is [Tenants and keys](../../guides/tenants-and-keys.md).',
    names: [
      ...['Tenants', 'Tenant', 'TenantReference', 'TenantOptions', 'TenantChanges'],
      ...['TenantListOptions', 'Quotas', 'QuotaChanges', 'QuotaName', 'TenantRange', 'UsageDay'],
      ...['EraseOptions', 'EraseProgress', 'EraseResult'],
      ...['ApiKeys', 'ApiKey', 'CreatedApiKey', 'ApiKeyOptions', 'ApiKeyOwner'],
      ...[
        'ApiKeyListOptions',
        'RotateOptions',
        'RevokeOptions',
        'Scope',
        'Caller',
        'CallbackAttempt',
      ],
    ],
  },
  {
    file: 'activity.md',
    title: 'Activity',
    about:
      'Events of runs, jobs and workers, in this process and across the fleet: `punctual.on`, `once`, `off` and `activity`. The guide is [Activity](../../guides/activity.md).',
    names: [
      ...['ActivityEvents', 'Listen', 'Unlisten', 'StreamActivity', 'ActivityListener'],
      ...['ListenOptions', 'ActivityOptions', 'ActivityEvent', 'RunFacts', 'ActivityType'],
      ...['LocalActivityType', 'FleetActivityType'],
    ],
  },
  {
    file: 'guarantees.md',
    title: 'Guarantees and proofs',
    about:
      'Which guarantees hold on this server, and the proof that every slot was decided once: `punctual.guarantees` and `punctual.verify`. See [What is guaranteed](../../concepts/guarantees.md) and [The slot ledger](../../concepts/ledger.md).',
    names: [
      ...['GuaranteePanel', 'Guarantee', 'PromiseName', 'Weakness', 'GuaranteeFacts'],
      'RowSecurityState',
      ...[
        'StandbyFacts',
        'ReadStandbyFacts',
        'VerifyOptions',
        'VerifyProgress',
        'Verification',
        'VerifyFinding',
      ],
      ...['AuditFinding', 'AuditKind'],
    ],
  },
  {
    file: 'audit.md',
    title: 'The audit log',
    about:
      'Who changed what, and whether the log has been tampered with: `punctual.audit` and `punctual.as`. The guide is [The audit log](../../guides/audit.md).',
    names: [
      ...['Audit', 'AuditListOptions', 'AuditEntry', 'AuditTarget', 'Actor', 'ActorKind'],
      ...['AuditVerifyOptions', 'ExpectedAuditHead', 'AuditVerification', 'VerifiedChain'],
      ...['AuditHead', 'AuditFault'],
    ],
  },
  {
    file: 'secrets.md',
    title: 'Secrets',
    about:
      'Encrypted values that only handlers can read: `punctual.secrets`. The guide is [Secrets](../../guides/secrets.md).',
    names: ['SecretsOfInstallation', 'Secrets', 'SecretInfo', 'SecretSet', 'RotatedSecrets'],
  },
  {
    file: 'errors.md',
    title: 'Errors',
    about:
      'Errors that callers receive, and errors that handlers throw to control retries. [Errors](../errors.md) explains every code.',
    names: [
      'PunctualError',
      'ErrorCode',
      'ErrorDetails',
      'QuotaUse',
      'NonRetryableError',
      'RetryAfterError',
      'UnclearOutcomeError',
    ],
  },
  {
    file: 'testing.md',
    title: 'Testing',
    about:
      'A real Punctual on a scratch database, and schedules in virtual time. The guides are [Testing](../../guides/testing.md) and [Testing schedules](../../guides/testing-schedules.md).',
    names: [
      ...['startTestPunctual', 'TestPunctualOptions', 'TestPunctual', 'TestKit', 'TestSubmitted'],
      ...['TestSubmission', 'SubmissionMatch', 'HandlerReference', 'DrainOptions', 'TestFailure'],
      ...['startTestServer', 'TestServer', 'ScheduleLab', 'ScheduleLabOptions', 'LabJob'],
      ...['LabSlot', 'LabOutcome', 'LedgerProof', 'LedgerFault'],
    ],
  },
]

/** Methods that come first on the page of their class; the others follow in the order of the source. */
export const first = {
  Punctual: [
    'start',
    'handler',
    'submit',
    'submitMany',
    'claim',
    'use',
    'on',
    'once',
    'off',
    'activity',
  ],
}

/** The name that examples give to an object of each type. */
export const called = {
  Punctual: 'punctual',
  Runs: 'punctual.runs',
  Jobs: 'punctual.jobs',
  Calendars: 'punctual.jobs.calendars',
  Queues: 'punctual.queues',
  Limits: 'punctual.limits',
  Workers: 'punctual.workers',
  Tenants: 'punctual.tenants',
  ApiKeys: 'punctual.apiKeys',
  DeadLetters: 'punctual.deadLetters',
  HandlerHandle: 'handle',
  HandlerContext: 'ctx',
  RunLog: 'ctx.log',
  HeldRun: 'run',
  Logger: 'logger',
  ScheduleLab: 'lab',
  TestKit: 'punctual',
  TestServer: 'server',
  TransactionClient: 'tx',
  Queryable: 'tx',
  DrizzleTransaction: 'tx',
  KnexTransaction: 'tx',
  KyselyTransaction: 'tx',
  PrismaTransaction: 'tx',
  Middleware: 'middleware',
  Metrics: 'punctual.metrics',
}
