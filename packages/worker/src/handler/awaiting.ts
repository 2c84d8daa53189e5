/** What a handler returns when something else reports the outcome of its run later. */
export interface AwaitOptions {
  /** How long to await the report. @default the timeout of the run */
  readonly timeoutMs?: number
  /** Where people can look up the state of the work: shown with the run. */
  readonly statusUrl?: string
}

/** Made by `ctx.awaitCallback`; the handler returns it. */
export class Awaiting {
  /** How long to await the report, and where the state can be looked up. */
  readonly options: AwaitOptions
  readonly #made = true

  /** Whether a handler returned one. Never throws: the value may be a hostile proxy. */
  static isOne(value: unknown): value is Awaiting {
    return typeof value === 'object' && value !== null && #made in value
  }

  /** Leaves the run to its target; `ctx.awaitCallback` makes it. */
  constructor(options: AwaitOptions) {
    this.options = options
  }
}

/** Where a target reports the outcome of an attempt, and the token that it shows. */
export interface Callback {
  /** The address of the run: `/complete`, `/fail` and `/progress` follow it. */
  readonly url: string
  /** Sent in the header `Punctual-Callback-Token`. It speaks for this attempt of this run only. */
  readonly token: string
}
