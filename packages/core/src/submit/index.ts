export type {
  KeyConflict,
  KeyOptions,
  OnConflict,
  SubmitOutcome,
  Submitted,
  TimeSpan,
} from './key-conflict.ts'
export { type RunOptions, runOptions, type SubmitOptions, sharedRunOptions } from './run-options.ts'
export {
  type CompiledOptions,
  compileOptions,
  makeSubmission,
  type Submission,
} from './submission.ts'
