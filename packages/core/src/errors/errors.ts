/**
 * The one family of errors that Punctual throws at callers. Each has a stable `code` that programs may
 * compare, and a message that says what was expected, what came and what to do. Outcomes that are
 * expected in normal work (a lease lost, a key already live) are return values, never errors.
 *
 * The catalogue is data so that a test can hold docs/reference/errors.md and the HTTP mapping equal to it.
 */
export const errorCatalogue = {
  invalid_option: {
    status: 400,
    meaning: 'An option has a value of the wrong kind or out of range.',
  },
  invalid_cursor: {
    status: 400,
    meaning: 'The cursor was altered, or belongs to another list, tenant, filter or order.',
  },
  invalid_payload: {
    status: 400,
    meaning:
      "The payload cannot be stored as JSON without changing it, or is not what the handler's schema wants.",
  },
  payload_too_large: { status: 413, meaning: 'The payload is larger than the limit.' },
  payload_too_deep: { status: 400, meaning: 'The payload is nested deeper than the limit.' },
  invalid_schedule: {
    status: 400,
    meaning: 'A cron expression, duration or repeating interval cannot be read.',
  },
  invalid_timezone: { status: 400, meaning: 'No time zone has this name.' },
  never_fires: { status: 400, meaning: 'The schedule has no time left at which it would fire.' },
  invalid_calendar: {
    status: 400,
    meaning: 'A calendar has an entry of the wrong kind or out of range.',
  },
  invalid_config: { status: 400, meaning: 'A flag, environment variable or file entry is wrong.' },
  handler_duplicate: { status: 409, meaning: 'Two handlers of one process have the same name.' },
  handler_unknown: {
    status: 404,
    meaning: 'No live worker has this handler, and the submission asked for strict.',
  },
  not_in_isolation: {
    status: 409,
    meaning: 'The handler runs in a thread or process of its own, where this cannot be had.',
  },
  isolate_ended: {
    status: 500,
    meaning: 'The thread or process of an isolated handler ended before the handler did.',
  },
  run_not_found: { status: 404, meaning: 'No run has this id.' },
  worker_not_found: { status: 404, meaning: 'No worker that is there has this id.' },
  dead_letter_not_found: {
    status: 404,
    meaning: 'No dead letter has this id: there is no such run, or it is not dead.',
  },
  group_not_found: { status: 404, meaning: 'No group has this id.' },
  group_closed: { status: 409, meaning: 'The group is closed: nothing can be added to it.' },
  group_full: { status: 409, meaning: 'The group would have more members than the limit.' },
  group_busy: {
    status: 409,
    meaning: 'Another open transaction is adding to the group; try again.',
  },
  job_not_found: { status: 404, meaning: 'No job has this name or id.' },
  job_of_other_source: {
    status: 409,
    meaning: 'A declared list names a job that somebody else declares.',
  },
  job_exists: { status: 409, meaning: 'A job has this name already.' },
  already_finished: { status: 409, meaning: 'It has ended; there is nothing left to cancel.' },
  state_conflict: {
    status: 409,
    meaning: 'The run is in a state in which this cannot be done.',
  },
  already_handled: {
    status: 409,
    meaning: 'Somebody has dealt with the dead letter or the unknown run before.',
  },
  version_changed: {
    status: 412,
    meaning: 'It is not as the change expects: another version, gone, or there already.',
  },
  idempotency_key_in_use: {
    status: 409,
    meaning: 'A request with this Idempotency-Key is under way.',
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'The Idempotency-Key was used for another request.',
  },
  slot_not_found: {
    status: 404,
    meaning: 'The instant is not a slot of the job, or it is not ahead any more.',
  },
  calendar_not_found: { status: 404, meaning: 'No calendar has this name.' },
  calendar_in_use: { status: 409, meaning: 'Jobs refer to the calendar, so that it stays.' },
  secret_not_found: { status: 404, meaning: 'No secret has this name.' },
  secrets_key_missing: {
    status: 503,
    meaning: 'This process has no master key for secrets.',
  },
  secret_unreadable: {
    status: 500,
    meaning: 'A secret cannot be decrypted with the master keys of this process.',
  },
  insecure_connection: {
    status: 403,
    meaning: 'What was asked for is not sent over a connection that others can read.',
  },
  wait_timeout: {
    status: 504,
    meaning: 'The run or group did not finish within the time given to wait.',
  },
  key_busy: {
    status: 409,
    meaning: 'The key is being claimed by another open transaction; try again.',
  },
  key_conflict: {
    status: 409,
    meaning: 'A live run has the key, and the call needs it or asked for an error then.',
  },
  lanes_exhausted: {
    status: 409,
    meaning: 'A tenant has too many distinct combinations of queue, handler and priority.',
  },
  session_not_found: {
    status: 404,
    meaning: 'No session that is open has this id, or it belongs to somebody else.',
  },
  not_remote: {
    status: 409,
    meaning: 'A worker without a connection to the database cannot do what was asked for.',
  },
  lease_lost: {
    status: 409,
    meaning: 'This attempt no longer owns its run; nothing that it writes is accepted.',
  },
  activity_behind: {
    status: 500,
    meaning: 'A loop over events fell too far behind, and was ended.',
  },
  too_many_streams: {
    status: 429,
    meaning: 'The key has as many streams open at this server as it may have.',
  },
  stopped: { status: 503, meaning: 'This Punctual is stopping or stopped.' },
  database_unavailable: { status: 503, meaning: 'PostgreSQL did not answer in time.' },
  database_full: {
    status: 503,
    meaning: 'PostgreSQL has no room left on its disk; what was asked for did not happen.',
  },
  database_required: {
    status: 400,
    meaning: 'In production a database must be named, or the embedded one asked for.',
  },
  database_unsupported: { status: 400, meaning: 'The server is not PostgreSQL 15 to 18.' },
  schema_too_new: {
    status: 409,
    meaning: 'The schema was migrated by a newer Punctual in a way that this version cannot use.',
  },
  schema_missing: { status: 409, meaning: 'The schema is not migrated; run `punctual migrate`.' },
  schema_incompatible: {
    status: 409,
    meaning: 'Another build of Punctual, with other migrations, created the schema.',
  },
  migration_changed: {
    status: 409,
    meaning: 'A migration that was applied differs from the one in this version.',
  },
  key_missing: {
    status: 500,
    meaning: 'A primary key that keeps things from happening twice is missing or invalid.',
  },
  cursor_missing: {
    status: 500,
    meaning: 'The job has lost its cursor, so that nothing plans it.',
  },
  partition_missing: { status: 500, meaning: 'A day has no partition and it could not be made.' },
  unauthenticated: {
    status: 401,
    meaning: 'No key came, or one that is malformed, unknown, expired or revoked.',
  },
  forbidden: { status: 403, meaning: 'The key lacks the scope that this needs.' },
  api_key_not_found: { status: 404, meaning: 'No API key has this id.' },
  api_key_inactive: {
    status: 409,
    meaning: 'The API key is revoked, expired or was rotated already.',
  },
  tenant_not_found: { status: 404, meaning: 'No tenant has this name or number.' },
  tenant_exists: { status: 409, meaning: 'Another tenant has this name.' },
  tenant_suspended: {
    status: 403,
    meaning: 'The tenant is suspended, or being erased: nothing is accepted for it.',
  },
  tenant_protected: { status: 409, meaning: 'The default tenant cannot be erased.' },
  quota_exceeded: {
    status: 409,
    meaning: 'A quota of the tenant leaves no room for this.',
  },
  rate_exceeded: {
    status: 429,
    meaning: 'The tenant has submitted as much as it may in this second.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>

/** A stable code that programs may compare. docs/reference/errors.md says what each means and what to do. */
export type ErrorCode = keyof typeof errorCatalogue

/** What an error is about. */
export interface ErrorDetails {
  /** The option, field or flag that is wrong, as the caller wrote it. */
  field?: string
  /** The run, session or migration that the error is about. */
  id?: string
  /** Where in a text the error is: the index of its first wrong character. */
  position?: number
  /** What was thrown below. */
  cause?: unknown
  /** After how many milliseconds the same call may be accepted. */
  retryAfterMs?: number
  /** The quota that leaves no room, its limit, and what its use would be. */
  quota?: QuotaUse
}

/** A quota that leaves no room for something. */
export interface QuotaUse {
  /** Which one. */
  readonly name: string
  /** What the tenant may have. */
  readonly limit: number
  /** What it would have. */
  readonly used: number
}

/** What Punctual throws at callers. Compare its `code`, not its message. */
export class PunctualError extends Error {
  /** Always `PunctualError`. */
  override readonly name = 'PunctualError'
  /** What is wrong: stable, for programs. */
  readonly code: ErrorCode
  /** The option, field or flag that is wrong, as the caller wrote it. */
  readonly field: string | undefined
  /** The run, job, worker or migration that the error is about. */
  readonly id: string | undefined
  /** Where in a text the error is: the index of its first wrong character. */
  readonly position: number | undefined
  /** After how many milliseconds the same call may be accepted, where that is known. */
  readonly retryAfterMs: number | undefined
  /** The quota that leaves no room, its limit, and what its use would be. */
  readonly quota: QuotaUse | undefined

  /** Punctual makes them; programs need to only in tests. */
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

/** The same error in other words, about another field, or none if it is empty: everything else that it tells stays. */
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

/** A programmer's error: the process is in a state that was thought impossible. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`)
}

/**
 * Thrown by a handler to say that trying again cannot help: the run goes to the dead letters now.
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
 * Thrown by a handler to say when the next attempt is worth making.
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
  /** How long to wait before the next attempt. */
  readonly retryAfterMs: number

  /** The run is tried again after so many milliseconds, if it has attempts left. */
  constructor(retryAfterMs: number, message = `Try again after ${retryAfterMs} ms`) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}
