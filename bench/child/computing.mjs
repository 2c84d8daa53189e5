/** The command of a process that computes next fires. */

/** Fires computed between two readings of the machine's clock. */
const FIRES_A_TURN = 20

export function computing({ adapter }) {
  return {
    /** Cycles through the schedules for `forMs`; `perSecond` counts the computed fires. */
    nextFires: ({ schedules: all, fromMs, forMs, compiled }) => {
      const schedules = all.filter((schedule) => fires(adapter, schedule, fromMs, FIRES_A_TURN))
      const make = ({ cron, timezone }) => adapter.nextOf(cron, timezone)
      const made = compiled ? schedules.map(make) : null
      turn({ made, make, schedules, fromMs }, forMs / 4)
      return turn({ made, make, schedules, fromMs }, forMs)
    },
    /**
     * The fires themselves, to compare the libraries; null for a schedule that a library fails on.
     */
    listFires: ({ schedules, fromMs, count }) =>
      schedules.map((schedule) => fires(adapter, schedule, fromMs, count)),
  }
}

function fires(adapter, { cron, timezone }, fromMs, count) {
  try {
    return chain(adapter.nextOf(cron, timezone), fromMs, count)
  } catch {
    return null
  }
}

/**
 * With `made`, each schedule is parsed once and yields a chain of fires; otherwise each fire parses
 * it.
 */
function turn({ made, make, schedules, fromMs }, forMs) {
  const startedAt = performance.now()
  let computed = 0
  while (performance.now() - startedAt < forMs)
    for (let i = 0; i < schedules.length; i++) {
      if (made) computed += chain(made[i], fromMs, FIRES_A_TURN).length
      else {
        make(schedules[i])(fromMs)
        computed++
      }
    }
  return { perSecond: Math.round((computed / (performance.now() - startedAt)) * 1000) }
}

function chain(next, fromMs, count) {
  const fires = []
  for (let ms = fromMs; fires.length < count; ) {
    ms = next(ms)
    fires.push(ms)
  }
  return fires
}
