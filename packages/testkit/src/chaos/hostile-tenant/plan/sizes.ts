/** The sizes of the profile, in one place. */
export const sizes = {
  nodes: 2,
  /** Per-second jobs of the steady tenant. */
  jobs: 500,
  perSecond: 200,
  workers: 20,
  /** API keys of the hostile tenant, of each scope. */
  keys: 30,
  /** Runs of the hostile tenant with payloads of a megabyte. */
  payloads: 1_000,
  /** Its pauses, limits and calendars before the attack: as many as a tenant may have. */
  rows: 1_000,
  /** Its lanes before the attack: a few less, for the lanes that other attacks need. */
  lanes: 990,
  /**
   * Requests of a tenant that each node admits: two nodes, PostgreSQL and all clients share two cores.
   * The default suits a node that has them for itself.
   */
  tenantHttpRate: 400,
  /** The requests of the hostile tenant, compared with those of the steady one. */
  timesSteady: 15,
} as const

/** The share of the time in which the steady tenant is alone. */
export const SECONDS_ALONE_SHARE = 0.35

/** The lease of the workers of the profile. */
export const LEASE_MS = 5_000
