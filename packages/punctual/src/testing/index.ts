export type { LabJob } from './lab-job.ts'
export type { LabOutcome } from './lab-ledger.ts'
export { type LabSlot, ScheduleLab, type ScheduleLabOptions } from './schedule-lab.ts'
export type { DrainOptions } from './test-drain.ts'
export type { TestFailure } from './test-failures.ts'
export {
  startTestPunctual,
  type TestKit,
  type TestPunctual,
  type TestPunctualOptions,
} from './test-punctual.ts'
export { startTestServer, type TestServer } from './test-server.ts'
export type { HandlerReference, SubmissionMatch, TestSubmission } from './test-submissions.ts'
export type { TestSubmitted } from './test-submit.ts'
export type { LedgerFault, LedgerProof } from './verify-ledger.ts'
