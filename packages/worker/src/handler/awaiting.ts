/** What a handler returns when something else reports the outcome of its run later. */
export interface AwaitOptions {
  /** How long to await the report. @default the timeout of the run */
  readonly timeoutMs?: number
  /** Where the state of the work can be looked up. */
  readonly statusUrl?: string
  /** When to look it up for the first time. */
  readonly lookInMs?: number
}

/** Made by `ctx.awaitCallback`; the handler returns it. */
export class Awaiting {
  readonly options: AwaitOptions

  constructor(options: AwaitOptions) {
    this.options = options
  }
}

/** Where a target reports the outcome of an attempt, and the token that it shows. */
export interface Callback {
  readonly url: string
  readonly token: string
}
