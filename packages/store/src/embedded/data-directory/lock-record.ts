/** The content of an owner lock file, and its parser. */
import type { ProcessIdentity } from './process-identity.ts'

export interface LockRecord extends ProcessIdentity {
  readonly host: string
  /** True once the owner has stopped cleanly; the file stays, as part of the generation chain. */
  readonly released: boolean
}

/** Undefined unless the record is complete; a power failure can leave a torn file. */
export function parseLockRecord(content: string): LockRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const fields: Partial<Record<keyof LockRecord, unknown>> = value
  const { pid, startMark, scope, host, released } = fields
  if (typeof pid !== 'number' || typeof startMark !== 'string') return undefined
  if (typeof scope !== 'string' || typeof host !== 'string') return undefined
  if (typeof released !== 'boolean') return undefined
  return { pid, startMark, scope, host, released }
}
