/**
 * Actions on dead letters, in memory: replay and discard. After a commit whose answer was lost, the
 * dead letter shows whether it took place: it names its replay.
 */
import { retrying } from '../../connection/retrying.ts'
import type { MemoryStoreOptions } from '../tables/line.ts'
import { discard, type ReplayRequest, replay } from './replay.ts'

const DEADLINE_MS = 15_000

export type MemoryReplayResult = 'replayed' | 'already_handled' | 'key_busy' | 'not_found'

export class MemoryDeadLetters {
  readonly #options: MemoryStoreOptions

  constructor(options: MemoryStoreOptions) {
    this.#options = options
  }

  /** Creates a new run, due now, for a dead one. */
  async replay(request: ReplayRequest): Promise<MemoryReplayResult> {
    const { db, line, clock, hints } = this.#options
    const made = await retrying({ clock, deadlineMs: DEADLINE_MS }, () =>
      line.call('replay', () => replay(db, request)),
    )
    if (made) hints.queued([])
    if (made) return 'replayed'
    const letter = await line.call('find-letters', () => db.deadLetters.get(request.id))
    if (!letter) return 'not_found'
    if (letter.replayedAs === request.newId) return 'replayed'
    return letter.handled === null ? 'key_busy' : 'already_handled'
  }

  /** Closes a dead letter without replaying its run; false when it is not open. */
  discard(id: string): Promise<boolean> {
    const { db, line } = this.#options
    return line.call('discard', () => discard(db, id))
  }
}
