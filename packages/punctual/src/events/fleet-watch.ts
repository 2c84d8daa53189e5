/**
 * Looks for what has ended anywhere in the fleet, about once a second, and only while somebody listens. Each kind is
 * read from where somebody began to listen to it, in the order of its time; a look that fails is made again.
 */
import type { Clock, DeadLetter } from '@punctual/core'
import { EndsCursor, type EndsReader, type RunEnd, type WorkerLoss } from '@punctual/store'
import { TENANT } from '../tenant.ts'
import type { EventName, FleetEventName, PunctualEvent } from './event-types.ts'

const POLL_MS = 1_000
/** However much ends here, there are no more looks than one in this time. */
const SPACING_MS = 100
/** What this process thinks the time of the database is may be wrong by so much. */
const CLOCK_ERROR_MS = 100

type FleetEvent = PunctualEvent<FleetEventName>

interface Source {
  readonly of: readonly EventName[]
  look(ends: EndsReader, cursor: EndsCursor): Promise<FleetEvent[]>
}

const sources: readonly Source[] = [
  {
    of: ['run.dead'],
    look: async (ends, cursor) => (await ends.deaths(cursor, TENANT)).map(deathOf),
  },
  {
    of: ['run.cancelled', 'run.skipped', 'run.unknown'],
    look: async (ends, cursor) => (await ends.ends(cursor, TENANT)).flatMap(endOf),
  },
  { of: ['worker.lost'], look: async (ends, cursor) => (await ends.losses(cursor)).map(lossOf) },
]

export interface FleetWatchOptions {
  readonly ends: EndsReader
  readonly clock: Clock
  /** By the database's clock. */
  readonly nowMs: () => number
  readonly onEvent: (event: FleetEvent) => void
  readonly onError: (error: unknown) => void
}

export class FleetWatch {
  readonly #o: FleetWatchOptions
  readonly #cursors = new Map<Source, EndsCursor>()
  #resting = new AbortController()
  #loop: Promise<void> | null = null

  constructor(options: FleetWatchOptions) {
    this.#o = options
  }

  /** These are listened to from now on. */
  want(types: ReadonlySet<EventName>): void {
    for (const source of sources) {
      const wanted = source.of.some((type) => types.has(type))
      if (!wanted) this.#cursors.delete(source)
      else if (!this.#cursors.has(source))
        this.#cursors.set(source, new EndsCursor(this.#o.nowMs() - CLOCK_ERROR_MS))
    }
    if (this.#cursors.size === 0) this.#resting.abort()
    else this.#loop ??= this.#run()
  }

  /** Something has ended here: it need not wait for the next look. */
  hint(): void {
    this.#resting.abort()
  }

  async #run(): Promise<void> {
    // Those who begin to listen together are looked for together.
    await Promise.resolve()
    while (this.#cursors.size > 0) {
      this.#resting = new AbortController()
      await this.#look()
      if (this.#cursors.size === 0) break
      await this.#o.clock.sleep(SPACING_MS)
      await this.#o.clock.sleep(POLL_MS - SPACING_MS, this.#resting.signal)
    }
    this.#loop = null
  }

  async #look(): Promise<void> {
    const looks = [...this.#cursors].map(([source, cursor]) =>
      source.look(this.#o.ends, cursor).catch((error) => {
        this.#o.onError(error)
        return []
      }),
    )
    const found = (await Promise.all(looks)).flat()
    for (const event of found.sort((a, b) => a.at.getTime() - b.at.getTime()))
      this.#o.onEvent(event)
  }

  /** Resolves when no look is under way; nobody may listen any more. */
  async idle(): Promise<void> {
    await this.#loop
  }
}

function deathOf(letter: DeadLetter): FleetEvent {
  const { id: runId, handler, queue, attempts: attempt, reason, error, job, diedAt: at } = letter
  const facts = { runId, handler, queue, attempt, jobId: job?.id ?? null }
  return { type: 'run.dead', at, ...facts, reason, error }
}

function endOf({ state, error, reason, at, ...facts }: RunEnd): FleetEvent[] {
  if (state === 'cancelled') return [{ type: 'run.cancelled', at, ...facts, reason }]
  if (state === 'skipped') return [{ type: 'run.skipped', at, ...facts, reason }]
  return state === 'unknown' ? [{ type: 'run.unknown', at, ...facts, error }] : []
}

function lossOf(loss: WorkerLoss): FleetEvent {
  return { type: 'worker.lost', ...loss }
}
