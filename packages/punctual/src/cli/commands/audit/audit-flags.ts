/** Chains of the audit log and their ends, as flags have them. */
import { PunctualError } from '@punctual/core/errors'
import type { ExpectedAuditHead } from '../../../audit/audit.ts'
import type { Punctual } from '../../../punctual.ts'
import { readInput } from '../../flags/read-input.ts'
import { findTenant } from '../tenants/tenants.ts'

const INSTALLATION = 'installation'
const HEAD = /^(installation|[1-9]\d*):([1-9]\d*):([0-9a-f]{64})$/i

function refuse(flag: string, expected: string, came: string): never {
  const shown = JSON.stringify(came.slice(0, 120))
  const message = `${flag} must be ${expected}; got ${shown}.`
  throw new PunctualError('invalid_option', message, { field: flag })
}

/** The number of a tenant by its name or number, null for the installation, or undefined where nothing is said. */
export async function chosenTenant(
  { tenants }: Punctual,
  text: string | undefined,
): Promise<number | null | undefined> {
  if (text === undefined) return undefined
  if (text === INSTALLATION) return null
  const { id } = await findTenant(tenants, text)
  return id
}

/** As `--expect-head` takes it. */
export function showHead(tenantId: number | null, { seq, hash }: { seq: number; hash: string }) {
  return `${tenantId ?? INSTALLATION}:${seq}:${hash}`
}

/** Heads as they were shown, or with an @ a file that has one on each line. */
export function parseHeads(flag: string, texts: readonly string[]): ExpectedAuditHead[] {
  const all = texts.flatMap((text) =>
    text.startsWith('@')
      ? readInput(flag, text.slice(1))
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '')
      : [text],
  )
  return all.map((text) => {
    const [, tenant, seq, hash] = HEAD.exec(text) ?? refuse(flag, '<tenant>:<place>:<hash>', text)
    return {
      tenantId: tenant?.toLowerCase() === INSTALLATION ? null : Number(tenant),
      seq: Number(seq),
      hash: (hash as string).toLowerCase(),
    }
  })
}
