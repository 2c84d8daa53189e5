/** The chains of the audit log and their heads, as flags. */
import { PunctualError } from '@punctual/core/errors'
import type { ExpectedAuditHead } from '../../../audit/audit.ts'
import type { Punctual } from '../../../punctual.ts'
import { readInput } from '../../flags/read-input.ts'
import { findTenant } from '../tenants/tenants.ts'

const INSTALLATION = 'installation'
const HEAD = /^(installation|[1-9]\d*):([1-9]\d*):([0-9a-f]{64})$/i

function refuse(flag: string, expected: string, value: string): never {
  const shown = JSON.stringify(value.slice(0, 120))
  const message = `${flag} must be ${expected}; got ${shown}.`
  throw new PunctualError('invalid_option', message, { field: flag })
}

/** The id of a tenant by its name or id; null for the installation, undefined when not given. */
export async function chosenTenant(
  { tenants }: Punctual,
  text: string | undefined,
): Promise<number | null | undefined> {
  if (text === undefined) return undefined
  if (text === INSTALLATION) return null
  const { id } = await findTenant(tenants, text)
  return id
}

/** A head in the form that `--expect-head` accepts. */
export function showHead(tenantId: number | null, { seq, hash }: { seq: number; hash: string }) {
  return `${tenantId ?? INSTALLATION}:${seq}:${hash}`
}

/** Parses heads; `@file` reads a file with one head per line. */
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
