/** The lateness with which the runs of the steady tenant started, by the time at which each should have started. */
export interface Window {
  readonly fromMs: number
  readonly untilMs: number
}

export class LatenessLog {
  readonly #dueMs: number[] = []
  readonly #lateMs: number[] = []

  add(dueMs: number, nowMs = Date.now()): void {
    this.#dueMs.push(dueMs)
    this.#lateMs.push(Math.max(0, nowMs - dueMs))
  }

  /** The lateness of every run that was due in the window. */
  within({ fromMs, untilMs }: Window): number[] {
    return this.#lateMs.filter((_, i) => {
      const dueMs = this.#dueMs[i] ?? 0
      return dueMs >= fromMs && dueMs < untilMs
    })
  }
}
