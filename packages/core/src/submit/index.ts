export type {
  KeyConflict,
  KeyOptions,
  OnConflict,
  SubmitOutcome,
  Submitted,
  TimeSpan,
} from './key-conflict.ts'
export { runOptions, type SubmitOptions } from './run-options.ts'
export {
  type CompiledOptions,
  compileOptions,
  makeSubmission,
  type Submission,
} from './submission.ts'
