/** Secrets of a tenant: everything except their values. */

/** The description of a secret: everything except its value. */
export interface SecretInfo {
  /** The secret's name, unique within the tenant. */
  readonly name: string
  /** Increases by one with every new value. */
  readonly version: number
  /** The master key that encrypts it, identified by a hash. */
  readonly keyId: string
  /** When the secret was first set. */
  readonly createdAt: Date
  /** Who first set it; null if unknown. */
  readonly createdBy: string | null
  /** When its value was last set. */
  readonly updatedAt: Date
  /** Who last set it; null if unknown. */
  readonly updatedBy: string | null
}

/** The result of setting a secret. */
export interface SecretSet {
  /** 1 for a new secret; each new value adds 1. */
  readonly version: number
}
