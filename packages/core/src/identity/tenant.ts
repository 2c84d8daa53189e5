/** A tenant: an isolated user of an installation. */

import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import type { Quotas } from './quotas.ts'

/** A tenant as it is stored. */
export interface Tenant {
  /** The number of the tenant, which never changes. */
  readonly id: number
  /** The unique name of the tenant. */
  readonly name: string
  /** A free note for operators. */
  readonly note: string | null
  /** Its quotas; a quota that is not set does not limit it. */
  readonly quotas: Quotas
  /** When it was created. */
  readonly createdAt: Date
  /** Who created it; null when not given. */
  readonly createdBy: string | null
  /** When it was suspended; null while it is not. */
  readonly suspendedAt: Date | null
  /** Who suspended it; null when not given. */
  readonly suspendedBy: string | null
  /** The note of its suspension; null without one. */
  readonly suspendedNote: string | null
  /** When its erasure began; none of its data can be used from then on. */
  readonly erasingSince: Date | null
}

/** The result of an erasure. */
export interface EraseResult {
  /** The tenant's number, which is never used again. */
  readonly id: number
  /** The tenant's former name, which is free again. */
  readonly name: string
  /** How many rows were deleted. */
  readonly rows: number
  /** How many of its audit log entries were deleted, and the head of their chain. */
  readonly audit: { readonly entries: number; readonly head: unknown }
}

/** A tenant's usage on one day, in UTC: the day on which its runs were due. */
export interface UsageDay {
  /** The day, such as `2030-01-31`. */
  readonly day: string
  /** Runs due on that day. */
  readonly runs: number
  /** Runs among these that succeeded. */
  readonly succeeded: number
  /** Runs among these that ended otherwise: dead, cancelled, skipped or unknown. */
  readonly endedOtherwise: number
  /** Finished attempts of these runs. */
  readonly attempts: number
  /** The total duration of these attempts. */
  readonly runSeconds: number
  /** Bytes of the runs' payloads, as JSON. */
  readonly payloadBytes: number
  /** Bytes of the runs' outputs, as JSON. */
  readonly outputBytes: number
  /** Bytes of the runs' logs: their texts, plus fifty per line. */
  readonly logBytes: number
}

/** The tenant that exists from the beginning, and the default tenant of the library. */
export const DEFAULT_TENANT = { id: 1, name: 'default' } as const

const NAME = new RegExp(`^[a-z][a-z0-9_.-]{0,${limits.tenantNameLength - 1}}$`)

/**
 * Names appear in URLs and on command lines; they begin with a-z, so that no name looks like a
 * number.
 */
export function checkTenantName(field: string, value: unknown): string {
  if (typeof value !== 'string' || !NAME.test(value))
    refuseOption(
      field,
      `a name of up to ${limits.tenantNameLength} characters from a-z, 0-9, dot, dash and _ that begins with a-z`,
      value,
    )
  return value
}
