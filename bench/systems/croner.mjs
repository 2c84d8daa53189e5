/** croner, for the computation of next fires only. */
import { Cron } from 'croner'

export const adapter = {
  nextOf(cron, timezone) {
    const pattern = new Cron(cron, { ...(timezone && { timezone }), paused: true })
    return (afterMs) => pattern.nextRun(new Date(afterMs)).getTime()
  },
}
