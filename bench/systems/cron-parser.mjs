/** cron-parser, for the computation of next fires only. */
import { CronExpressionParser } from 'cron-parser'

export const adapter = {
  nextOf(cron, timezone) {
    const expression = CronExpressionParser.parse(cron, timezone ? { tz: timezone } : {})
    let at = -1
    return (afterMs) => {
      // It continues from the previous fire by itself.
      if (afterMs !== at) expression.reset(new Date(afterMs))
      at = expression.next().getTime()
      return at
    }
  },
}
