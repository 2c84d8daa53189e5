/** A tenant: the wall between users of one installation. */

import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import type { Quotas } from './quotas.ts'

/** A tenant as it is stored. */
export interface Tenant {
  /** Its number, which never changes. */
  readonly id: number
  /** Its name, under which it is known everywhere. */
  readonly name: string
  /** Whatever people want to remember of it. */
  readonly note: string | null
  /** What it may have and do; what is not named is not limited. */
  readonly quotas: Quotas
  /** When it was made. */
  readonly createdAt: Date
  /** By whom, where that was said. */
  readonly createdBy: string | null
  /** Since when it is suspended; null when it is not. */
  readonly suspendedAt: Date | null
  /** Who suspended it, where that was said. */
  readonly suspendedBy: string | null
  /** Why, where that was said. */
  readonly suspendedNote: string | null
  /** Since when it is being erased; nothing of it can be used from then on. */
  readonly erasingSince: Date | null
}

/** The tenant that is there from the beginning, and that the library acts for unless it is told otherwise. */
export const DEFAULT_TENANT = { id: 1, name: 'default' } as const

const NAME = new RegExp(`^[a-z][a-z0-9_.-]{0,${limits.tenantNameLength - 1}}$`)

/** Names stand in addresses and on command lines; they begin with a letter, so that no name is a number. */
export function checkTenantName(field: string, value: unknown): string {
  if (typeof value !== 'string' || !NAME.test(value))
    refuseOption(
      field,
      `a name of up to ${limits.tenantNameLength} lower-case letters, digits, dots, dashes and _ that begins with a letter`,
      value,
    )
  return value
}
