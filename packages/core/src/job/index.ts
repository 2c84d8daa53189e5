export { type CompiledJob, compileJob, type JobDefaults } from './compile-job.ts'
export type { CalendarVersion, DueJob, PlannedJob } from './due-job.ts'
export {
  type Era,
  type ExpectedSlots,
  erasOf,
  expectedSlots,
  isSlotOf,
  type JobVersion,
  type LedgerRow,
  matchSlots,
  type SlotMatch,
  type SlotStretch,
} from './expected-slots.ts'
export { type Beginning, firstSlot } from './first-slot.ts'
export { jitterOf } from './jitter.ts'
export type { BackfillResult, Job, JobChange, JobResult, Slot } from './job.ts'
export type { DstOptions } from './job-kinds.ts'
export { type JobOptions, jobOptions } from './job-options.ts'
export {
  type CompiledJobPageFilter,
  compileJobPageFilter,
  type JobItem,
  type JobPage,
  type JobPageFilter,
  type LatestRun,
  ranOnce,
  skipOf,
} from './job-page.ts'
export {
  decodeRules,
  encodeRules,
  type JobRules,
  type MisfireRules,
  misfireOf,
  type Overlap,
  overlapPolicies,
  type When,
} from './job-rules.ts'
export type { JobSlot, SlotExplanation } from './job-slot.ts'
export { isOver, type JobStatus, jobStatus, jobStatuses, jobStatusTable } from './job-status.ts'
export { timingInput } from './job-timing.ts'
export { COUNT_MAX, countSlots, lastSlot, type NextSlot } from './last-slot.ts'
export {
  type AuditedJob,
  type AuditFinding,
  type AuditKind,
  auditCursor,
  auditKinds,
  type CursorFault,
  decidedUntil,
} from './ledger-findings.ts'
export { nextSlotOf, planJob } from './plan-job.ts'
export { gapBelow } from './shortest-gap.ts'
export {
  type SlotDecision,
  type SlotReason,
  slotDecisions,
  slotReasonOf,
  slotReasons,
} from './slot-decision.ts'
