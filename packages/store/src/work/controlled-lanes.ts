/**
 * Remembers which lanes hold controlled runs: runs with an overlap policy or a flow-control key, or
 * of a queue or tenant with a limit. Claims of other lanes use the short form of the statement,
 * which takes nothing when this memory is wrong.
 */

/** A lane without controlled runs for this long is claimed by the short form again. */
const REMEMBERED_MS = 60_000

export class ControlledLanes {
  readonly #untilMs = new Map<number, number>()

  /** Whether one of these lanes is known to hold controlled runs. `nowMs` is monotonic. */
  some(lanes: readonly { readonly id: number }[], nowMs: number): boolean {
    if (this.#untilMs.size === 0) return false
    return lanes.some(({ id }) => {
      const untilMs = this.#untilMs.get(id)
      if (untilMs === undefined) return false
      if (untilMs > nowMs) return true
      this.#untilMs.delete(id)
      return false
    })
  }

  note(lanes: Iterable<number>, nowMs: number): void {
    for (const lane of lanes) this.#untilMs.set(lane, nowMs + REMEMBERED_MS)
  }
}
