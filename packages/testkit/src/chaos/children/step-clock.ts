/**
 * Lets the parent step this process's wall clock, as an administrator or a bad time server would.
 * Only what JavaScript sees of it is moved: `Date`. The monotonic clock runs on, as it does on a
 * real machine.
 */
export function obeyClockSteps(): void {
  const RealDate = Date
  let offsetMs = 0
  class SteppedDate extends RealDate {
    constructor(...values: [] | [number | string | Date]) {
      if (values.length === 0) super(RealDate.now() + offsetMs)
      else super(...(values as [number]))
    }
    static override now(): number {
      return RealDate.now() + offsetMs
    }
  }
  process.on('message', (message: { clockOffsetMs?: number }) => {
    if (typeof message.clockOffsetMs !== 'number') return
    offsetMs = message.clockOffsetMs
    globalThis.Date = offsetMs === 0 ? RealDate : (SteppedDate as DateConstructor)
  })
}
