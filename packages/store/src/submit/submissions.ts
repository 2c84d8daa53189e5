/** Accepts submissions by the path that fits them: shared statements, keys, or a transaction. */
import type { Submission } from '@punctual/core/submit'
import type { Database } from '../connection/database.ts'
import { retrying } from '../connection/retrying.ts'
import type { QuotaKeeper } from '../tenants/quota-keeper.ts'
import type { Accepted, KeyedSubmitter } from './keyed-submitter.ts'
import type { Submitter } from './submitter.ts'
import type { WriteWith } from './write-with.ts'

const DEADLINE_MS = 30_000

export interface SubmissionsOptions {
  readonly database: Database
  readonly quotas: QuotaKeeper
  readonly submitter: Submitter
  readonly keyed: KeyedSubmitter
}

export interface SubmitToStoreOptions extends WriteWith {
  /** @default 1 */
  readonly tenantId?: number
}

export class Submissions {
  readonly #options: SubmissionsOptions

  constructor(options: SubmissionsOptions) {
    this.#options = options
  }

  async submit(
    submissions: readonly Submission[],
    { tenantId = 1, tx, transaction = null }: SubmitToStoreOptions = {},
  ): Promise<readonly Accepted[]> {
    const { database, quotas, submitter, keyed } = this.#options
    const admitting = quotas.admit(tenantId, submissions)
    if (admitting !== undefined) await admitting
    const runs = await submitter.prepare(submissions, tenantId)
    if (tx) return (await keyed.submitIn(tx, runs, tenantId)).accepted
    if (runs.some((run) => run.submission.options.key !== null))
      return retrying({ clock: database.localClock, deadlineMs: DEADLINE_MS }, (again) =>
        keyed.submit(runs, { tenantId, again, transaction }),
      )
    if (transaction) await submitter.submitIn(transaction, runs)
    else await submitter.submit(runs)
    return runs.map((run) => ({ id: run.id, created: true, outcome: 'created' }))
  }
}
