/** The command of a process that computes next fires. */

/** As little as makes the clock of the machine matter. */
const FIRES_A_TURN = 20

export function computing({ adapter }) {
  return {
    /** Turns through the schedules for so long; `perSecond` fires computed. */
    nextFires: ({ schedules: all, fromMs, forMs, compiled }) => {
      const schedules = all.filter((schedule) => fires(adapter, schedule, fromMs, FIRES_A_TURN))
      const make = ({ cron, timezone }) => adapter.nextOf(cron, timezone)
      const made = compiled ? schedules.map(make) : null
      turn({ made, make, schedules, fromMs }, forMs / 4)
      return turn({ made, make, schedules, fromMs }, forMs)
    },
    /** The fires themselves, so that what is fast is also the same; null for a schedule that it gives up on. */
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

/** With `made` the schedules are read once and each gives a chain of fires; else each fire reads its own. */
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
