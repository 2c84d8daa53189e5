/** Decides whether a request is retried, and after which delay. */
import type { PunctualHttpError } from './http-error.ts'

const TRANSIENT = new Set([408, 429, 502, 503, 504])
/** The server at this address is unavailable; another one may answer. */
const ELSEWHERE = new Set([502, 503, 504])
const DELAY_MS_MAX = 10_000
/** A longer `Retry-After` is reported to the caller instead of waited for. */
const RETRY_AFTER_MS_MAX = 60_000

function isUnanswered({ status, code }: PunctualHttpError): boolean {
  return status === 0 && (code === 'connection_failed' || code === 'timeout')
}

/** Whether the same request may succeed a little later. */
export function isTransient(error: PunctualHttpError): boolean {
  if ((error.retryAfterMs ?? 0) > RETRY_AFTER_MS_MAX) return false
  // The key belongs to this call: an attempt whose answer was lost is still in progress.
  if (error.code === 'idempotency_key_in_use') return true
  return isUnanswered(error) || TRANSIENT.has(error.status)
}

/** Whether another address may answer at once. */
export function leadsElsewhere(error: PunctualHttpError): boolean {
  return isUnanswered(error) || ELSEWHERE.has(error.status)
}

/**
 * Doubles, with jitter so that clients do not retry in step; never shorter than the server asks.
 */
export function delayBefore(retry: number, firstMs: number, error: PunctualHttpError): number {
  const most = Math.min(DELAY_MS_MAX, firstMs * 2 ** retry)
  return (error.retryAfterMs ?? 0) + most * (0.5 + Math.random() / 2)
}

/** @throws the reason of the signal */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    function end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason as Error)
      else resolve()
    }
  })
}
