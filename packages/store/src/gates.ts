/**
 * Concurrency keys as the store knows them. The gate is the number of a key of a tenant; two keys that had the same would
 * share their limit, which chance does not bring about.
 */
import { createHash } from 'node:crypto'
import type { RunConcurrency } from '@punctual/core'

export function gateOf(tenantId: number, key: string): bigint {
  return createHash('sha256').update(`${tenantId} ${key}`).digest().readBigInt64BE(0)
}

/** As runs and jobs keep it. */
export function flowOf(tenantId: number, concurrency: RunConcurrency | null): string | null {
  if (concurrency === null) return null
  return JSON.stringify({ concurrency, gate: gateOf(tenantId, concurrency.key).toString() })
}

export function concurrencyIn(flow: string | null | undefined): RunConcurrency | null {
  return flow ? (JSON.parse(flow) as { concurrency: RunConcurrency }).concurrency : null
}
