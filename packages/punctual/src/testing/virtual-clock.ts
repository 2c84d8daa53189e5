/**
 * Time that advances only when the lab says so. Each planner has its own clock, which may be wrong.
 */
import type { Clock } from '@punctual/core/clock'

export class VirtualTime {
  nowMs: number

  constructor(startMs: number) {
    this.nowMs = startMs
  }

  /** The clock of a machine with this error. It never sleeps: the lab calls `tick`. */
  clock(skewMs: number): Clock {
    const wallMs = () => this.nowMs + skewMs
    const after = () => () => undefined
    return { wallMs, monotonicMs: wallMs, after, sleep: async () => undefined }
  }
}
