/**
 * The errors that Punctual throws at callers. Each has a stable `code` for programs to compare, and
 * a message that says what was expected, what was received and what to do. Outcomes that are
 * expected in normal work (a lost lease, a key that is already live) are return values, never
 * errors.
 *
 * The catalogue is data so that a test can hold docs/reference/errors.md and the HTTP mapping equal
 * to it.
 */
export const errorCatalogue = {
  invalid_option: {
    status: 400,
    meaning: 'An option has the wrong type or is out of range.',
  },
  invalid_cursor: {
    status: 400,
    meaning: 'The cursor was altered, or belongs to another list, tenant, filter or order.',
  },
  invalid_payload: {
    status: 400,
    meaning:
      "The payload cannot be stored as JSON without loss, or does not match the handler's schema.",
  },
  payload_too_large: { status: 413, meaning: 'The payload is larger than the limit.' },
  payload_too_deep: { status: 400, meaning: 'The payload is nested deeper than the limit.' },
  invalid_schedule: {
    status: 400,
    meaning: 'A cron expression, duration or repeating interval cannot be parsed.',
  },
  invalid_timezone: { status: 400, meaning: 'No time zone has this name.' },
  never_fires: { status: 400, meaning: 'The schedule has no future slot.' },
  invalid_calendar: {
    status: 400,
    meaning: 'A calendar entry has the wrong type or is out of range.',
  },
  invalid_config: {
    status: 400,
    meaning: 'A flag, environment variable or file entry is invalid.',
  },
  package_missing: {
    status: 500,
    meaning: 'A package that this kind of target needs is not installed.',
  },
  handler_duplicate: { status: 409, meaning: 'Two handlers in one process have the same name.' },
  handler_unknown: {
    status: 404,
    meaning: 'No live worker has this handler, and the submission set `strict`.',
  },
  not_in_isolation: {
    status: 409,
    meaning: 'A handler in a separate thread or process cannot use this.',
  },
  isolate_ended: {
    status: 500,
    meaning: 'The thread or process of an isolated handler exited before the handler finished.',
  },
  run_not_found: { status: 404, meaning: 'No run has this id.' },
  worker_not_found: { status: 404, meaning: 'No connected worker has this id.' },
  dead_letter_not_found: {
    status: 404,
    meaning: 'No dead letter has this id: the run does not exist or is not dead.',
  },
  group_not_found: { status: 404, meaning: 'No group has this id.' },
  group_closed: { status: 409, meaning: 'The group is closed and accepts no more runs.' },
  group_full: { status: 409, meaning: 'The group would have more members than the limit.' },
  group_busy: {
    status: 409,
    meaning: 'Another open transaction is adding to the group.',
  },
  job_not_found: { status: 404, meaning: 'No job has this name or id.' },
  job_of_other_source: {
    status: 409,
    meaning: 'A declared list names a job that another source declares.',
  },
  job_exists: { status: 409, meaning: 'A job with this name already exists.' },
  already_finished: {
    status: 409,
    meaning: 'The job or run has finished; there is nothing to cancel.',
  },
  state_conflict: {
    status: 409,
    meaning: "The run's state does not allow this operation.",
  },
  already_handled: {
    status: 409,
    meaning: 'The dead letter or unknown run was already handled.',
  },
  version_changed: {
    status: 412,
    meaning:
      'The precondition failed: the resource has another version, is gone, or already exists.',
  },
  idempotency_key_in_use: {
    status: 409,
    meaning: 'Another request with this Idempotency-Key is in progress.',
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'The Idempotency-Key was used for a different request.',
  },
  slot_not_found: {
    status: 404,
    meaning: 'The instant is not a slot of the job, or the slot is no longer upcoming.',
  },
  calendar_not_found: { status: 404, meaning: 'No calendar has this name.' },
  calendar_in_use: {
    status: 409,
    meaning: 'The calendar cannot be deleted because jobs refer to it.',
  },
  secret_not_found: { status: 404, meaning: 'No secret has this name.' },
  secrets_key_missing: {
    status: 503,
    meaning: 'This process has no master key for secrets.',
  },
  secret_unreadable: {
    status: 500,
    meaning: 'None of the master keys of this process can decrypt the secret.',
  },
  insecure_connection: {
    status: 403,
    meaning: 'The data is sent only over an encrypted or local connection.',
  },
  origin_not_allowed: {
    status: 403,
    meaning: 'Without API keys, the server answers only requests that a page of its own may send.',
  },
  callbacks_unavailable: {
    status: 503,
    meaning: 'This process does not know where targets reach the HTTP API.',
  },
  callback_token_invalid: {
    status: 401,
    meaning: 'The callback token is missing, was altered, or belongs to another run.',
  },
  wait_timeout: {
    status: 504,
    meaning: 'The run or group did not finish before the wait timed out.',
  },
  key_busy: {
    status: 409,
    meaning: 'Another open transaction is claiming the key.',
  },
  key_conflict: {
    status: 409,
    meaning: 'A live run has the key, and the call needs the key or set `onConflict` to `error`.',
  },
  lanes_exhausted: {
    status: 409,
    meaning: 'A tenant has too many distinct combinations of queue, handler and priority.',
  },
  session_not_found: {
    status: 404,
    meaning: 'No open session has this id, or it belongs to another caller.',
  },
  not_remote: {
    status: 409,
    meaning: 'A worker without a database connection cannot do this.',
  },
  lease_lost: {
    status: 409,
    meaning: 'This attempt no longer owns its run; its writes are rejected.',
  },
  activity_behind: {
    status: 500,
    meaning: 'An activity loop fell too far behind and was ended.',
  },
  too_many_streams: {
    status: 429,
    meaning: 'The key has reached its limit of open streams at this server.',
  },
  too_many_waits: {
    status: 429,
    meaning: 'The tenant has reached its limit of waiting requests of workers at this server.',
  },
  read_timeout: {
    status: 422,
    meaning: 'The list or report takes longer than one request may.',
  },
  server_busy: {
    status: 503,
    meaning:
      'The tenant, or the keys of the installation, use their share of the connections of this process.',
  },
  stopped: { status: 503, meaning: 'This Punctual is stopping or stopped.' },
  database_unavailable: { status: 503, meaning: 'PostgreSQL did not answer in time.' },
  database_full: {
    status: 503,
    meaning: 'PostgreSQL has no disk space left; the operation was not performed.',
  },
  database_required: {
    status: 400,
    meaning:
      'In production, a database URL or an explicit choice of the embedded database is required.',
  },
  database_unsupported: { status: 400, meaning: 'The server is not PostgreSQL 15 to 18.' },
  schema_too_new: {
    status: 409,
    meaning: 'A newer Punctual migrated the schema in a way that this version cannot use.',
  },
  schema_missing: { status: 409, meaning: 'The schema is not migrated; run `punctual migrate`.' },
  schema_incompatible: {
    status: 409,
    meaning: 'Another build of Punctual, with other migrations, created the schema.',
  },
  migration_changed: {
    status: 409,
    meaning: 'An applied migration differs from the one in this version.',
  },
  key_missing: {
    status: 500,
    meaning: 'A primary key that prevents duplicates is missing or invalid.',
  },
  cursor_missing: {
    status: 500,
    meaning: 'The job has lost its cursor, so it is not planned.',
  },
  partition_missing: {
    status: 500,
    meaning: 'The partition of a day is missing and could not be created.',
  },
  unauthenticated: {
    status: 401,
    meaning: 'The API key is absent, malformed, unknown, expired or revoked.',
  },
  forbidden: { status: 403, meaning: 'The key lacks the required scope.' },
  api_key_not_found: { status: 404, meaning: 'No API key has this id.' },
  api_key_inactive: {
    status: 409,
    meaning: 'The API key is revoked, expired or already rotated.',
  },
  row_security_missing: {
    status: 503,
    meaning: 'The process cannot use the row security that the installation requires.',
  },
  tenant_not_found: { status: 404, meaning: 'No tenant has this name or number.' },
  tenant_exists: { status: 409, meaning: 'Another tenant has this name.' },
  tenant_suspended: {
    status: 403,
    meaning: 'The tenant is suspended or being erased and accepts no writes.',
  },
  tenant_protected: { status: 409, meaning: 'The default tenant cannot be erased.' },
  quota_exceeded: {
    status: 409,
    meaning: 'The request would exceed a quota of the tenant.',
  },
  rate_exceeded: {
    status: 429,
    meaning: 'The tenant has reached its submissions per second.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>

/** A stable code for programs to compare. docs/reference/errors.md has its meaning and remedy. */
export type ErrorCode = keyof typeof errorCatalogue

/** The subject of an error: every field that applies is set. */
export interface ErrorDetails {
  /** The option, field or flag that is wrong, as the caller wrote it. */
  field?: string
  /** The id of the run, session or migration concerned. */
  id?: string
  /** The index of the first wrong character of a string. */
  position?: number
  /** The underlying error. */
  cause?: unknown
  /** Milliseconds after which the same call may succeed. */
  retryAfterMs?: number
  /** The exceeded quota. */
  quota?: QuotaUse
}

/** A quota that a request would exceed. */
export interface QuotaUse {
  /** The name of the quota, such as `jobs`. */
  readonly name: string
  /** The most that the tenant may use. */
  readonly limit: number
  /** The use that the request would lead to. */
  readonly used: number
}

/** The error that Punctual throws at callers. Compare its `code`, not its message. */
export class PunctualError extends Error {
  /** Always `PunctualError`. */
  override readonly name = 'PunctualError'
  /** Identifies the problem; stable across versions. */
  readonly code: ErrorCode
  /** The option, field or flag that is wrong, as the caller wrote it. */
  readonly field: string | undefined
  /** The id of the run, job, worker or migration concerned. */
  readonly id: string | undefined
  /** The index of the first wrong character of a string. */
  readonly position: number | undefined
  /** Milliseconds after which the same call may succeed, where known. */
  readonly retryAfterMs: number | undefined
  /** The exceeded quota, its limit, and the use that the request would lead to. */
  readonly quota: QuotaUse | undefined

  /** Punctual creates these errors; programs need the constructor only in tests. */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.field = details.field
    this.id = details.id
    this.position = details.position
    this.retryAfterMs = details.retryAfterMs
    this.quota = details.quota
  }
}

/** Copies an error with another message and field; an empty `field` leaves the field out. */
export function reworded(error: PunctualError, message: string, field: string): PunctualError {
  const { code, id, position, retryAfterMs, quota } = error
  return new PunctualError(code, message, {
    cause: error,
    ...(field !== '' && { field }),
    ...(id !== undefined && { id }),
    ...(position !== undefined && { position }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(quota !== undefined && { quota }),
  })
}

/** Throws when a condition that the code relies on does not hold: a bug, not a caller's error. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`)
}

/**
 * Thrown by a handler when a retry cannot help: the run becomes a dead letter at once.
 * @example
 * ```ts
 * import { NonRetryableError } from 'punctual'
 *
 * punctual.handler('charge', async ({ card }: { card: string }) => {
 *   if (card === 'expired') throw new NonRetryableError('The card has expired.')
 * })
 * ```
 */
export class NonRetryableError extends Error {
  /** Always `NonRetryableError`. */
  override readonly name: string = 'NonRetryableError'
}

/**
 * Thrown by a handler to set the delay before the next attempt.
 * @example
 * ```ts
 * import { RetryAfterError } from 'punctual'
 *
 * punctual.handler('crawl', async ({ url }: { url: string }) => {
 *   const response = await fetch(url)
 *   const seconds = Number(response.headers.get('retry-after') ?? 30)
 *   if (response.status === 429) throw new RetryAfterError(seconds * 1_000)
 * })
 * ```
 */
export class RetryAfterError extends Error {
  /** Always `RetryAfterError`. */
  override readonly name: string = 'RetryAfterError'
  /** The delay before the next attempt, in milliseconds; Punctual bounds it at 100 years. */
  readonly retryAfterMs: number

  /** Retries the run after `retryAfterMs`, if it has attempts left. */
  constructor(retryAfterMs: number, message = `Retry after ${retryAfterMs} ms`) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Thrown by a handler that does not know whether its effect has happened, for example because the
 * connection broke after a request was sent. A run with delivery `at-most-once` then ends as
 * `unknown`; any other is retried by its policy.
 */
export class UnclearOutcomeError extends Error {
  /** Always `UnclearOutcomeError`. */
  override readonly name: string = 'UnclearOutcomeError'
}
