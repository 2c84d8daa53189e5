/** Polls for an external condition that sends no notification. */
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Polls until `condition` holds, and returns whether it held before the deadline. Rejects only when
 * the condition rejects or `signal` aborts.
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  deadlineMs: number,
  { pollMs = 20, signal }: { pollMs?: number; signal?: AbortSignal } = {},
): Promise<boolean> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    if (await condition()) return true
    if (performance.now() >= deadline) return false
    await delay(pollMs, undefined, signal ? { signal } : {})
  }
}
