/** Limits of HTTP requests, unless the composition root overrides them. */
export const httpDefaults = {
  /** Enough for a payload of 1 MiB, escaped and wrapped. */
  bodyLimitBytes: 2_097_152,
  /** The same for a request with many items. */
  bulkLimitBytes: 33_554_432,
  /** How long a client may take to send a request. */
  requestTimeoutMs: 30_000,
} as const
