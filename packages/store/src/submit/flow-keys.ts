/**
 * Hashes the keys of flow control, per tenant, to the numbers that the store uses. Two keys with
 * the same hash would share their limit; chance does not bring that about.
 */
import { createHash } from 'node:crypto'
import type { RunFlow } from '@punctual/core/flow'

export function gateOf(tenantId: number, { concurrency }: RunFlow): bigint | null {
  return concurrency && numberOf(tenantId, concurrency.key)
}

function numberOf(tenantId: number, key: string): bigint {
  return createHash('sha256').update(`${tenantId} ${key}`).digest().readBigInt64BE(0)
}

/** The stored form for runs and jobs, with everything that a claim needs. */
export function encodeFlow(tenantId: number, flow: RunFlow | null | undefined): string | null {
  return flow ? JSON.stringify(flowFields(tenantId, flow)) : null
}

export function flowFields(tenantId: number, { concurrency, rate }: RunFlow) {
  return {
    ...(concurrency && { concurrency, gate: numberOf(tenantId, concurrency.key).toString() }),
    ...(rate && {
      rate,
      rateGate: numberOf(tenantId, rate.key).toString(),
      rateIntervalUs: Math.max(1, Math.round((rate.perMs * 1_000) / rate.limit)),
    }),
  }
}

export function decodeFlow(stored: Partial<RunFlow> | null): RunFlow {
  const { concurrency = null, rate = null } = stored ?? {}
  return { concurrency, rate }
}
