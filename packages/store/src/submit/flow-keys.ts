/**
 * Keys of flow control as the store knows them: by number, of a tenant. Two keys that had the same would share their
 * limit, which chance does not bring about.
 */
import { createHash } from 'node:crypto'
import type { RunFlow } from '@punctual/core/flow'

export function gateOf(tenantId: number, { concurrency }: RunFlow): bigint | null {
  return concurrency && numberOf(tenantId, concurrency.key)
}

function numberOf(tenantId: number, key: string): bigint {
  return createHash('sha256').update(`${tenantId} ${key}`).digest().readBigInt64BE(0)
}

/** As runs and jobs keep it, with all that a claim has to know. */
export function encodeFlow(tenantId: number, flow: RunFlow | null | undefined): string | null {
  if (!flow) return null
  const { concurrency, rate } = flow
  return JSON.stringify({
    ...(concurrency && { concurrency, gate: numberOf(tenantId, concurrency.key).toString() }),
    ...(rate && {
      rate,
      rateGate: numberOf(tenantId, rate.key).toString(),
      rateIntervalUs: Math.max(1, Math.round((rate.perMs * 1_000) / rate.limit)),
    }),
  })
}

export function decodeFlow(text: string | null | undefined): RunFlow {
  const { concurrency = null, rate = null } = text ? (JSON.parse(text) as Partial<RunFlow>) : {}
  return { concurrency, rate }
}
