/** The order that the hostile tenant gets, and its report. */

/** A route of the nodes, such as `GET /v1/jobs/{id}`. */
export interface Route {
  readonly method: string
  readonly path: string
}

export interface Order {
  readonly servers: readonly string[]
  /** The routes of the flood. */
  readonly routes: readonly Route[]
  /** All requests together. */
  readonly perSecond: number
  readonly ms: number
  /** The attacks to make; all of them when it is missing. */
  readonly only?: readonly string[]
}

export interface AttackFigures {
  readonly sent: number
  /** Requests that the nodes have answered with anything but 429. */
  readonly admitted: number
  /** The most streams that were open at the same time. */
  readonly streams: number
  /** Answers by attack and status. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>
}
