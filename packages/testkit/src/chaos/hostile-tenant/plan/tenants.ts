/** The two tenants of the profile, as plain data that all its processes share. */

/** Has the load of an ordinary customer, and is measured. */
export const STEADY = 'steady'
/** Does everything that its keys allow. */
export const HOSTILE = 'hostile'

/** One of so many jobs and submissions is run by the worker that serves all tenants. */
export const SHARED_SHARE = 5

export interface Keys {
  /** The number of the hostile tenant. */
  readonly hostileId: number
  readonly steady: { readonly submit: string; readonly worker: string }
  readonly hostile: HostileKeys
}

/** Several keys of each scope: limits of a key must not be the only ones. */
export interface HostileKeys {
  readonly read: readonly string[]
  readonly submit: readonly string[]
  readonly worker: readonly string[]
  readonly admin: readonly string[]
}

/** The payload of a submitted run; that of a job's run is null. */
export interface SteadyPayload {
  /** The start that its submitter wanted, in wall time. */
  readonly wantedMs?: number
  /** A run of the hostile tenant, which is not measured. */
  readonly hostile?: true
}
