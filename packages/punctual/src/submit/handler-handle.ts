/** Typed submission: the handle that `handler` returns to the program that registered it. */
import type { SubmitOptions, Submitted } from '@punctual/core/submit'
import type { OpenTransaction } from './open-transaction.ts'

/** Options of `submit`: how the run is executed, and the transaction that accepts it. */
export interface SubmitCallOptions extends SubmitOptions {
  /**
   * Your own open transaction: the run is accepted when it commits and disappears when it rolls
   * back. Pass a client of `pg`, or the transaction object that Drizzle, Kysely, Knex or Prisma
   * passes to your callback.
   */
  tx?: OpenTransaction
}

/**
 * Options of `submitMany`: one object for all runs, or a function that makes the options of each
 * payload.
 */
export type SubmitManyOptions<Payload> =
  | SubmitCallOptions
  | ((payload: Payload, index: number) => SubmitOptions)

/** A registered handler: submits runs to it with the type of its payload. */
export interface HandlerHandle<Payload> {
  /** The name under which the handler was registered. */
  readonly name: string
  /** Like `punctual.submit`, to this handler. */
  submit(payload: Payload, options?: SubmitCallOptions): Promise<Submitted>
  /** Like `punctual.submitMany`, to this handler: up to 10,000 runs, all or none. */
  submitMany(
    payloads: readonly Payload[],
    options?: SubmitManyOptions<Payload>,
  ): Promise<readonly Submitted[]>
}
