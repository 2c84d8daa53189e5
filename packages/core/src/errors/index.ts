export {
  type ErrorCode,
  type ErrorDetails,
  errorCatalogue,
  invariant,
  NonRetryableError,
  PunctualError,
  type QuotaUse,
  RetryAfterError,
  reworded,
  UnclearOutcomeError,
} from './errors.ts'
export {
  type Failure,
  failureFrom,
  fingerprint,
  isNonRetryable,
  isUnclear,
  retryAfterMs,
  storableText,
} from './failure.ts'
export { defaults, limits } from './limits.ts'
