/**
 * Entries of the audit log: who changed what, from which value to which; and the result of
 * verifying their chain.
 */
import type { Actor } from './actor.ts'

/** The object of a change. */
export interface AuditTarget {
  /** The kind of object: `job`, `queue`, `run`, `api_key`, … */
  readonly kind: string
  /** The id of the object; null where it has none. */
  readonly id: string | null
  /** The name of the object; null where it has none. */
  readonly name: string | null
}

/** The record of one control write. */
export interface AuditWrite {
  /** Null for a change of the installation. */
  readonly tenantId: number | null
  readonly actor: Actor
  /** The kind of the target and the verb, such as `job.pause`. */
  readonly action: string
  readonly target: AuditTarget
  /** The old value; null for a created object. */
  readonly before: unknown
  /** The new value; null for a removed object. */
  readonly after: unknown
  readonly note: string | null
}

/** An entry of the audit log. */
export interface AuditEntry {
  /** The id of the entry. */
  readonly id: string
  /** The number of the tenant that owns it; null for the installation. */
  readonly tenantId: number | null
  /** When it was written, by the clock of the database. */
  readonly at: Date
  /** Who made the change, and from where. */
  readonly actor: Actor
  /** The kind of the target and the verb, such as `job.pause`. */
  readonly action: string
  /** The object of the change. */
  readonly target: AuditTarget
  /** The old value; null for a created object. Secrets are left out, and long values cut. */
  readonly before: unknown
  /** The new value; null for a removed object. Secrets are left out, and long values cut. */
  readonly after: unknown
  /** The note of the change; null without one. */
  readonly note: string | null
  /** The position in the chain of its tenant, from 1; null before the entry is sealed. */
  readonly seq: number | null
  /** The hash of the chain up to this entry; null before the entry is sealed. */
  readonly hash: string | null
}

/** The end of a chain. Keep it where no one who can write to the database can write. */
export interface AuditHead {
  /** The position of the last entry. */
  readonly seq: number
  /** The hash of the chain up to that entry, in hexadecimal. */
  readonly hash: string
}

/**
 * The first fault of a chain. `changed`: the entry differs from the sealed one. `removed`: the
 * entry is missing. `added`: the entry was not recorded by Punctual. `broken`: the seal differs
 * from the one made there, because seals were swapped, inserted or rewritten. `unexpected_head`:
 * the chain does not contain the head that was kept elsewhere.
 */
export interface AuditFault {
  /** The kind of fault. */
  readonly kind: 'changed' | 'removed' | 'added' | 'broken' | 'unexpected_head'
  /** The position in the chain; null for an entry without one. */
  readonly seq: number | null
  /** The id of the entry; null when unknown. */
  readonly entryId: string | null
  /** A description of the fault. */
  readonly message: string
}

/** The result of verifying the chain of one tenant. */
export interface VerifiedChain {
  /** The number of the tenant; null for the installation. */
  readonly tenantId: number | null
  /** The number of sealed entries that were verified. */
  readonly sealed: number
  /** The number of entries that wait to be sealed, which takes seconds. */
  readonly unsealed: number
  /** The end of the chain; null when nothing is sealed yet. */
  readonly head: AuditHead | null
  /** The first fault; null when the chain is intact. */
  readonly fault: AuditFault | null
}

/** The result of verifying the audit log. */
export interface AuditVerification {
  /** True when no entry was changed, removed or inserted. */
  readonly clean: boolean
  /** The verified chains; that of the installation comes first. */
  readonly chains: readonly VerifiedChain[]
}
