/** Time that passes when the lab says so. Each planner has a clock of its own, which may be wrong. */
import type { Clock } from '@punctual/core/clock'

export class VirtualTime {
  nowMs: number

  constructor(startMs: number) {
    this.nowMs = startMs
  }

  /** The clock of a machine that is wrong by so much. It never sleeps: the lab ticks. */
  clock(skewMs: number): Clock {
    const wallMs = () => this.nowMs + skewMs
    const after = () => () => undefined
    return { wallMs, monotonicMs: wallMs, after, sleep: async () => undefined }
  }
}
