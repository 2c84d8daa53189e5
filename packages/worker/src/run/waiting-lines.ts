/**
 * Claimed runs that wait for free capacity: one line per lane. Lines of the highest priority come
 * first and take turns, with as many runs per turn as the tenant's weight. Without turns, a run of
 * a short lane would wait behind all the work held for a long one, about a hundred milliseconds.
 */
import type { ClaimedRun } from '@punctual/core/ports'

interface Line {
  readonly lane: number
  readonly runs: ClaimedRun[]
  next: number
  /** How many more runs are taken before the next line has its turn. */
  left: number
}

/** The lines of one priority. */
interface Rank {
  readonly priority: number
  readonly lines: Line[]
  turn: number
}

export class WaitingLines {
  /** Highest priority first; no rank is empty. */
  readonly #ranks: Rank[] = []
  readonly #lines = new Map<number, Line>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(run: ClaimedRun): void {
    this.#size++
    const line = this.#lines.get(run.lane)
    if (line) line.runs.push(run)
    else this.#open(run)
  }

  #open(run: ClaimedRun): void {
    const line = { lane: run.lane, runs: [run], next: 0, left: run.weight }
    this.#lines.set(run.lane, line)
    const index = this.#ranks.findIndex(({ priority }) => priority <= run.priority)
    const rank = this.#ranks[index]
    if (rank && rank.priority === run.priority) rank.lines.push(line)
    else {
      const place = index < 0 ? this.#ranks.length : index
      this.#ranks.splice(place, 0, { priority: run.priority, lines: [line], turn: 0 })
    }
  }

  /** Removes and returns the next run. Must not be called when empty. */
  take(): ClaimedRun {
    const rank = this.#ranks[0] as Rank
    if (rank.turn >= rank.lines.length) rank.turn = 0
    const line = rank.lines[rank.turn] as Line
    const run = line.runs[line.next++] as ClaimedRun
    this.#size--
    if (line.next < line.runs.length) {
      if (--line.left > 0) return run
      line.left = run.weight
      rank.turn++
    } else {
      // An empty line leaves its turn to the line that moves into its place.
      this.#lines.delete(line.lane)
      rank.lines.splice(rank.turn, 1)
      if (rank.lines.length === 0) this.#ranks.shift()
    }
    return run
  }

  all(): ClaimedRun[] {
    const lines = this.#ranks.flatMap((rank) => rank.lines)
    return lines.flatMap(({ runs, next }) => runs.slice(next))
  }

  /** Removes the matching runs. */
  remove(leaves: (run: ClaimedRun) => boolean): void {
    const stay = this.all().filter((run) => !leaves(run))
    this.#ranks.length = 0
    this.#lines.clear()
    this.#size = 0
    for (const run of stay) this.add(run)
  }
}
