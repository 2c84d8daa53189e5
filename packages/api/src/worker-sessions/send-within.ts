/** Bounds how long an answer stays in memory: a client may read slowly, or not at all. */
import type { ServerResponse } from 'node:http'
import type { Clock } from '@punctual/core/clock'

/**
 * Calls back when the answer has been sent, or its connection has ended. A client that has not read
 * the answer within `ms` loses its connection.
 */
export function sendWithin(
  response: ServerResponse,
  clock: Pick<Clock, 'after'>,
  ms: number,
  done: () => void,
): void {
  if (response.closed) {
    done()
    return
  }
  const cancel = clock.after(ms, () => response.destroy())
  response.once('close', () => {
    cancel()
    done()
  })
}
