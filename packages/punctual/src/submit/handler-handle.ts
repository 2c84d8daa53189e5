/** A registered handler, as the program that registered it uses it: typed submission. */
import type { SubmitOptions, SubmitOutcome } from '@punctual/core/submit'
import type { OpenTransaction } from './open-transaction.ts'

/** What `submit` takes: how the run is run, and the transaction that it is accepted in. */
export interface SubmitCallOptions extends SubmitOptions {
  /**
   * Your own open transaction: the run is accepted when it commits, and vanishes when it rolls back. A client of
   * `pg`, or what Drizzle, Kysely, Knex or Prisma hand to the function of their transaction.
   */
  tx?: OpenTransaction
}

/** What a submission came to. */
export interface Submitted {
  /** The id of the run: give it to `punctual.runs`. */
  readonly id: string
  /** False when a run with the same key was there already; its id is returned. */
  readonly created: boolean
  /** `existing`: the run with the same key is as it was. `replaced`: it is what this submission says. */
  readonly outcome: SubmitOutcome
}

/** The options of `submitMany`: the same for all, or made for each payload. */
export type SubmitManyOptions<Payload> =
  | SubmitCallOptions
  | ((payload: Payload, index: number) => SubmitOptions)

/** A registered handler: submits to it with the types of its payload. */
export interface HandlerHandle<Payload> {
  /** The name that it was registered by. */
  readonly name: string
  /** As `punctual.submit`, to this handler. */
  submit(payload: Payload, options?: SubmitCallOptions): Promise<Submitted>
  /** As `punctual.submitMany`, to this handler: up to 10,000 at once, of which all are accepted, or none. */
  submitMany(
    payloads: readonly Payload[],
    options?: SubmitManyOptions<Payload>,
  ): Promise<readonly Submitted[]>
}
