/** A period during which everything, or some planners, are down. */
interface Outage {
  readonly fromMs: number
  /** The first instant after the outage. */
  readonly toMs: number
  /** The indexes of the planners that are down; null when everything is down. */
  readonly planners: readonly number[] | null
}

export class Outages {
  #outages: readonly Outage[] = []

  add(fromMs: number, toMs: number, planners: readonly number[] | null): void {
    this.#outages = [...this.#outages, { fromMs, toMs, planners }].sort(
      (a, b) => a.fromMs - b.fromMs,
    )
  }

  /** The first instant from `atMs` on at which workers are available. */
  overAtMs(atMs: number): number {
    let backMs = atMs
    for (const { fromMs, toMs, planners } of this.#outages)
      if (planners === null && fromMs <= backMs && backMs < toMs) backMs = toMs
    return backMs
  }

  isDown(planner: number, atMs: number): boolean {
    return this.#outages.some(
      ({ fromMs, toMs, planners }) =>
        fromMs <= atMs && atMs < toMs && (planners === null || planners.includes(planner)),
    )
  }

  /** The first instant from `atMs` on at which at least one of `count` planners is up. */
  plannersBackMs(atMs: number, count: number): number {
    let backMs = atMs
    for (const { toMs } of [...this.#outages].sort((a, b) => a.toMs - b.toMs)) {
      const all = Array.from({ length: count }, (_, i) => this.isDown(i, backMs)).every(Boolean)
      if (!all) break
      backMs = Math.max(backMs, toMs)
    }
    return backMs
  }
}
