export type { LabJob } from './lab-job.ts'
export type { LabOutcome } from './lab-ledger.ts'
export { type LabSlot, ScheduleLab, type ScheduleLabOptions } from './schedule-lab.ts'
export type { LedgerFault, LedgerProof } from './verify-ledger.ts'
