/**
 * What stands on which page, in the order in which a reader needs it. A name that is exported and on no page is reported
 * by find-problems.mjs.
 */
export const pages = [
  {
    file: 'punctual.md',
    title: 'Punctual',
    about:
      'The one object that a program starts: it submits runs, registers handlers, and leads to everything else.',
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
      'What `submit` and `submitMany` take and answer. The guide is [The library](../../guides/library.md); flow control has [one of its own](../../guides/flow-control.md), and so have [transactions](../../guides/transactions.md).',
    names: [
      ...['SubmitOptions', 'SubmitCallOptions', 'SubmitManyOptions', 'Submitted', 'HandlerHandle'],
      ...['KeyOptions', 'OnConflict', 'SubmitOutcome', 'TimeSpan'],
      ...[
        'Delivery',
        'RetryPolicyInput',
        'BackoffInput',
        'ConcurrencyOptions',
        'RateOptions',
        'FlowKey',
      ],
      ...['OpenTransaction', 'Queryable', 'DrizzleTransaction', 'KnexTransaction'],
      ...['KyselyTransaction', 'PrismaTransaction'],
    ],
  },
  {
    file: 'handlers.md',
    title: 'Handlers',
    about:
      'What `punctual.handler` takes, what a handler is given, and how runs are claimed without one. The guides are [Isolated handlers and batches](../../guides/handlers.md) and [A loop of one’s own](../../guides/manual-claims.md).',
    names: [
      ...['RegisterHandler', 'HandlerFunction', 'HandlerContext', 'SlotOfRun', 'RunLog'],
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
      'Looking at runs, waiting for them and steering them: `punctual.runs`. The guide is [Steering](../../guides/steering.md), and [The life of a run](../../concepts/lifecycle.md) tells what the states mean.',
    names: [
      ...['Runs', 'RunReference', 'Run', 'RunDefinition', 'WaitingRun', 'RunningRun'],
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
      ...['RunExplanation', 'RunObstacle', 'LetThroughRun', 'WorkerInReach'],
      ...['Stats', 'RecentEnds', 'Ends', 'ReportOptions', 'Report', 'ReportRow'],
      ...['BulkOptions', 'CancelManyOptions', 'BulkProgress', 'BulkResult'],
      ...['Resolution', 'RunResolution', 'ResolveResult', 'HandlingOptions'],
    ],
  },
  {
    file: 'jobs.md',
    title: 'Jobs and schedules',
    about:
      'What runs again and again, or once under a name: `punctual.jobs`. The guide is [Schedules](../../guides/schedules.md), and [Time zones](../../concepts/time-zones-and-dst.md) tells when exactly a schedule fires.',
    names: [
      ...['Jobs', 'JobOptions', 'DstOptions', 'GapPolicy', 'FoldPolicy', 'DayRule'],
      ...['MisfireRules', 'Overlap', 'Job', 'JobRules', 'When', 'JobResult', 'JobChange'],
      ...['JobPageFilter', 'JobPageOptions', 'JobPage', 'JobItem', 'JobStatus', 'LatestRun'],
      ...['JobFilter', 'SyncOptions', 'SyncResult', 'BackfillOptions', 'BackfillResult'],
      ...['SlotsOptions', 'JobSlot', 'SlotReason', 'SlotExplanation'],
      ...['Calendars', 'CalendarInput', 'WindowInput'],
      ...['nextFires', 'previewFires', 'NextFiresOptions', 'PreviewOptions'],
      ...['FirePreview'],
    ],
  },
  {
    file: 'groups.md',
    title: 'Groups',
    about:
      'Many runs with one end: `punctual.groups`. The guide is [Groups](../../guides/groups.md).',
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
      'Runs that died, looked at, replayed and discarded: `punctual.deadLetters`. The guide is [Dead letters](../../guides/dead-letters.md).',
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
      'What waits where, who runs it, and pausing, limiting or draining it: `punctual.queues`, `punctual.limits` and `punctual.workers`. The guides are [Steering](../../guides/steering.md), [Flow control](../../guides/flow-control.md) and [Workers](../../guides/workers.md).',
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
      'Who shares an installation, what each may have, and the keys by which callers are known: `punctual.tenants`, `punctual.apiKeys` and `punctual.authenticate`. The guide is [Tenants and keys](../../guides/tenants-and-keys.md).',
    names: [
      ...['Tenants', 'Tenant', 'TenantReference', 'TenantOptions', 'TenantChanges'],
      ...['TenantListOptions', 'Quotas', 'QuotaChanges', 'QuotaName', 'TenantRange', 'UsageDay'],
      ...['EraseOptions', 'EraseProgress', 'EraseResult'],
      ...['ApiKeys', 'ApiKey', 'CreatedApiKey', 'ApiKeyOptions', 'ApiKeyOwner'],
      ...['ApiKeyListOptions', 'RotateOptions', 'RevokeOptions', 'Scope', 'Caller'],
    ],
  },
  {
    file: 'activity.md',
    title: 'Events',
    about:
      'Hearing of what happens, here and across the fleet: `punctual.on`, `once`, `off` and `events`. The guide is [Events](../../guides/activity.md).',
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
      'Which promises hold on this server, and the proof that every slot was decided once: `punctual.guarantees` and `punctual.verify`. See [What is guaranteed](../../concepts/guarantees.md) and [The slot ledger](../../concepts/ledger.md).',
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
      'Who changed what, and whether the log of it is as it was written: `punctual.audit` and `punctual.as`. The guide is [The audit log](../../guides/audit.md).',
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
      'Values that handlers need and nobody else may see: `punctual.secrets`. The guide is [Secrets](../../guides/secrets.md).',
    names: ['SecretsOfInstallation', 'Secrets', 'SecretInfo', 'SecretSet', 'RotatedSecrets'],
  },
  {
    file: 'errors.md',
    title: 'Errors',
    about:
      'What is thrown at callers, and what handlers throw to say what is to happen next. Every code is explained in [Errors](../errors.md).',
    names: [
      'PunctualError',
      'ErrorCode',
      'ErrorDetails',
      'QuotaUse',
      'NonRetryableError',
      'RetryAfterError',
    ],
  },
  {
    file: 'testing.md',
    title: 'Testing',
    about:
      'A real Punctual on a database that is thrown away, and schedules in virtual time. The guides are [Testing](../../guides/testing.md) and [Testing schedules](../../guides/testing-schedules.md).',
    names: [
      ...['startTestPunctual', 'TestPunctualOptions', 'TestPunctual', 'TestKit', 'TestSubmitted'],
      ...['TestSubmission', 'SubmissionMatch', 'HandlerReference', 'DrainOptions', 'TestFailure'],
      ...['startTestServer', 'TestServer', 'ScheduleLab', 'ScheduleLabOptions', 'LabJob'],
      ...['LabSlot', 'LabOutcome', 'LedgerProof', 'LedgerFault'],
    ],
  },
]

/** Methods that stand before the others of their class, which follow in the order of the source. */
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

/** What the object is called in programs, by its type. */
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
