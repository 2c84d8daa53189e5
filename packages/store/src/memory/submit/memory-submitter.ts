/** The client's store in memory: accepting runs. */
import type { Clock, Random } from '@punctual/core/clock'
import { defaults } from '@punctual/core/errors'
import { RunIdSource, runIdTimeFor } from '@punctual/core/run'
import type { Submission, SubmitOutcome } from '@punctual/core/submit'
import { retrying } from '../../connection/retrying.ts'
import type { MemoryStoreOptions } from '../tables/line.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { insertRun, internLane, type PreparedRun, takeKey } from './insert-runs.ts'

const SUBMIT_DEADLINE_MS = 30_000
const KEYED_DEADLINE_MS = 10_000

export interface MemoryAccepted {
  readonly id: string
  readonly created: boolean
  readonly outcome: SubmitOutcome
}

const created = ({ id }: PreparedRun): MemoryAccepted => ({ id, created: true, outcome: 'created' })

export class MemorySubmitter {
  readonly #options: MemoryStoreOptions
  readonly #db: MemoryDatabase
  readonly #clock: Clock
  readonly #ids: RunIdSource

  constructor(options: MemoryStoreOptions, random: Random) {
    this.#options = options
    this.#db = options.db
    this.#clock = options.clock
    this.#ids = new RunIdSource(random)
  }

  /** An id that is made before the call: after a lost reply, the call is repeated under it. */
  nextId(): string {
    return this.#ids.next(this.#db.nowMs)
  }

  async prepare(submission: Submission, id?: string): Promise<PreparedRun> {
    const { queue, handler, priority, delayMs, dueMs: atMs } = submission.options
    const lane = await this.#options.line.call('intern-lane', () =>
      internLane(this.#db, { tenantId: 1, queue, handler, priority }),
    )
    const nowMs = this.#db.nowMs
    const dueMs = delayMs === null ? atMs : Math.round(nowMs + delayMs)
    const timeMs = runIdTimeFor(dueMs, nowMs, defaults.partitionDaysAhead)
    return { id: id ?? this.#ids.next(timeMs), lane, dueMs, submission }
  }

  /** After a lost reply, the submission is sent again under the same id. */
  async submit(run: PreparedRun): Promise<MemoryAccepted> {
    const { horizonMs, hints, line } = this.#options
    const { key } = run.submission.options
    const deadlineMs = key === null ? SUBMIT_DEADLINE_MS : KEYED_DEADLINE_MS
    const accepted = await retrying({ clock: this.#clock, deadlineMs }, (again) =>
      line.call('submit', (): MemoryAccepted => {
        if (key !== null) {
          if (again && this.#db.runs.has(run.id)) return created(run)
          const holder = takeKey(this.#db, key, run.id)
          if (holder !== run.id) return { id: holder, created: false, outcome: 'existing' }
        }
        insertRun(this.#db, run, horizonMs, again)
        return created(run)
      }),
    )
    hints.queued([run.lane])
    return accepted
  }
}
