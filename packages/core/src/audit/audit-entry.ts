/** Entries of the audit log: who changed what, from what to what; and what a look at their chain finds. */
import type { Actor } from './actor.ts'

/** What was changed. */
export interface AuditTarget {
  /** What it is: `job`, `queue`, `run`, `api_key`, … */
  readonly kind: string
  /** Its id, where it has one. */
  readonly id: string | null
  /** Its name, where it has one. */
  readonly name: string | null
}

/** What is to be recorded of one control write. */
export interface AuditWrite {
  /** Null for what belongs to the installation. */
  readonly tenantId: number | null
  readonly actor: Actor
  /** The kind of the target and the verb, such as `job.pause`. */
  readonly action: string
  readonly target: AuditTarget
  /** What it was; null for what was made. */
  readonly before: unknown
  /** What it is; null for what was removed. */
  readonly after: unknown
  readonly note: string | null
}

/** An entry of the audit log. */
export interface AuditEntry {
  /** Its id. */
  readonly id: string
  /** The tenant whose it is; null for the installation. */
  readonly tenantId: number | null
  /** When it was written, by the clock of the database. */
  readonly at: Date
  /** Who did it, and from where. */
  readonly actor: Actor
  /** The kind of the target and the verb, such as `job.pause`. */
  readonly action: string
  /** What was changed. */
  readonly target: AuditTarget
  /** What it was; null for what was made. Secrets are left out, and long values cut. */
  readonly before: unknown
  /** What it is; null for what was removed. Secrets are left out, and long values cut. */
  readonly after: unknown
  /** Why, where that was said. */
  readonly note: string | null
  /** Its place in the chain of its tenant, from 1; null while it is not sealed. */
  readonly seq: number | null
  /** The hash of the chain up to it; null while it is not sealed. */
  readonly hash: string | null
}

/** The end of a chain, to be kept where nobody who can write to the database can write. */
export interface AuditHead {
  /** The place of the last entry. */
  readonly seq: number
  /** The hash of the chain up to it, in hexadecimal. */
  readonly hash: string
}

/**
 * What is wrong with a chain, at the first place where something is. `changed`: the entry is not the one that was sealed.
 * `removed`: it is gone. `added`: nobody recorded it. `broken`: the seal is not the one that was made there; seals were
 * swapped, put in or rewritten. `unexpected_head`: the chain does not have the end that was kept elsewhere.
 */
export interface AuditFault {
  /** What is wrong. */
  readonly kind: 'changed' | 'removed' | 'added' | 'broken' | 'unexpected_head'
  /** The place; null for an entry that has none. */
  readonly seq: number | null
  /** The entry; null where it is not known any more. */
  readonly entryId: string | null
  /** The same in words. */
  readonly message: string
}

/** What verifying the chain of one tenant came to. */
export interface VerifiedChain {
  /** Null for the installation. */
  readonly tenantId: number | null
  /** How many entries have a place in the chain and were looked at. */
  readonly sealed: number
  /** How many entries wait for their place; the sealer comes to them within seconds. */
  readonly unsealed: number
  /** Its end; null when nothing is sealed yet. */
  readonly head: AuditHead | null
  /** The first thing that is wrong; null when nothing is. */
  readonly fault: AuditFault | null
}
