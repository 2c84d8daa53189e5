/** What requests may be, unless the composition root says otherwise. */
export const httpDefaults = {
  /** A payload of 1 MiB, escaped and wrapped. */
  bodyLimitBytes: 2_097_152,
  /** Of a request with many items. */
  bulkLimitBytes: 33_554_432,
  /** How long a client may take to send a request. */
  requestTimeoutMs: 30_000,
} as const
