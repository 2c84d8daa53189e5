/** Waits for a condition of the outside world that announces itself in no other way. */
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Polls until `condition` holds. Resolves to whether it held before the deadline; rejects only when
 * the condition does or when `signal` aborts.
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
