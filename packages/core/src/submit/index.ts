export type {
  KeyConflict,
  KeyOptions,
  OnConflict,
  SubmitOutcome,
  Submitted,
  TimeSpan,
} from './key-conflict.ts'
export {
  type CompiledOptions,
  compileOptions,
  makeSubmission,
  type Submission,
  type SubmitOptions,
} from './submission.ts'
