/** A registered handler, as the program that registered it uses it: typed submission. */
import type { SubmitOptions, SubmitOutcome } from '@punctual/core'
import type { OpenTransaction } from './open-transaction.ts'

export interface SubmitCallOptions extends SubmitOptions {
  /**
   * Your own open transaction: the run is accepted when it commits, and vanishes when it rolls back. A client of
   * `pg`, or what Drizzle, Kysely, Knex or Prisma hand to the function of their transaction.
   */
  tx?: OpenTransaction
}

export interface Submitted {
  readonly id: string
  /** False when a run with the same key was there already; its id is returned. */
  readonly created: boolean
  /** `existing`: the run with the same key is as it was. `replaced`: it is what this submission says. */
  readonly outcome: SubmitOutcome
}

/** The same options for all, or made for each payload. */
export type SubmitManyOptions<Payload> =
  | SubmitCallOptions
  | ((payload: Payload, index: number) => SubmitOptions)

export interface HandlerHandle<Payload> {
  readonly name: string
  submit(payload: Payload, options?: SubmitCallOptions): Promise<Submitted>
  /** Up to 10,000 at once: all are accepted, or none. */
  submitMany(
    payloads: readonly Payload[],
    options?: SubmitManyOptions<Payload>,
  ): Promise<readonly Submitted[]>
}
