/**
 * The payload for every system: about 100 bytes of JSON. `at` is the submitter's monotonic clock,
 * which all processes of a Linux machine share; `due` is the wall clock time of a scheduled run.
 */
export function makePayload(n) {
  return { to: 'someone@example.org', subject: 'Your order has been shipped', n, at: 0, due: 0 }
}

/** Milliseconds of the monotonic clock, comparable between processes. */
export const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6

/** Milliseconds of the wall clock, with a fraction. */
export const wallMs = () => performance.timeOrigin + performance.now()
