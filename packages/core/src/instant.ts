/** A moment as callers may write it; `instantOf` (submission.ts) reads it. */

/** A `Date`, an ISO 8601 text with `Z` or an offset, or milliseconds since 1970. */
export type Instant = Date | string | number
