export type {
  AwaitingLook,
  AwaitingStore,
  ReportAnswer,
  ReportedAttempt,
  ReportedState,
  TargetReport,
} from './awaiting.ts'
export type { GroupLook, GroupUpkeep } from './groups.ts'
export type {
  Guarantee,
  GuaranteeFacts,
  GuaranteePanel,
  PromiseName,
  ReadStandbyFacts,
  RowSecurityState,
  StandbyFacts,
  Weakness,
} from './guarantees.ts'
export type { Heartbeat, HeartbeatEvents } from './heartbeat.ts'
export type {
  AuditorStore,
  AuditPage,
  QueuePage,
  SlotCheck,
  SlotSample,
} from './ledger.ts'
export type { DueRequest, PlannerView, PlanStore, TenantCalendars } from './plan.ts'
export type { LeaseEnd, OpenSession, RemoteSessions } from './remote-sessions.ts'
export type { SealStore } from './seal.ts'
export type { ExpiredSessions, ReapResult, UpkeepStore } from './upkeep.ts'
export type {
  Assignment,
  ClaimedRun,
  ClaimRequest,
  ClaimResult,
  Fence,
  LaneWithRuns,
  LaneYield,
  Lease,
  LogEntry,
  SessionAnnouncement,
  SessionDescription,
  Settlement,
  StuckHandler,
  WorkStore,
} from './work.ts'
