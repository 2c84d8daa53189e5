/** Limits, pauses, drains, and the passing of time, on both stores. */
import { limits } from '@punctual/core/errors'
import { HORIZON_MS, HOUR_MS, type Twins } from './twins.ts'

/** Moves distant runs most of an hour closer, so that they enter the horizon. */
export async function promote(twins: Twins, limit: number): Promise<void> {
  const byMs = HOUR_MS - HORIZON_MS / 2
  await twins.t.sql.query(
    `update punctual.later set due_at = due_at - $1::bigint * interval '1 millisecond'
     where due_at > clock_timestamp() + interval '10 minutes'`,
    [byMs],
  )
  const { db } = twins.memory
  db.transact(() => {
    for (const row of db.later.values())
      if (row.dueMs > db.nowMs + 600_000)
        db.later.set(row.runId, { ...row, dueMs: row.dueMs - byMs })
  })
  await twins.both(async ({ upkeep }) => (await upkeep.promote(HORIZON_MS, limit)).promoted)
}

/** Sets the limits of a queue, or with null those of all queues; without limits, removes them. */
export async function limit(
  twins: Twins,
  queue: string | null,
  concurrency: number | null,
  burst: number | null,
) {
  const { queues } = twins.memory.client
  if (concurrency === null && burst === null) {
    await twins.t.store.limits.remove(queue)
    return queues.removeLimits(queue)
  }
  const rate = burst === null ? null : { limit: 1, perMs: HOUR_MS, burst }
  const limits = { concurrency, rate, ageingMs: null, weight: null }
  await twins.t.store.limits.set(queue, limits, null)
  await queues.setLimits(queue, limits)
}

/** Books most of the horizon of every rate, as many waiting runs would. */
export async function bookAhead(twins: Twins): Promise<void> {
  const aheadUs = limits.rateHorizonMs * 750
  await twins.t.sql.query(`update punctual.rates set next_us = next_us + ${aheadUs}`)
  const { db } = twins.memory
  db.transact(() => {
    for (const [rate, us] of db.rates.entries()) db.rates.set(rate, us + aheadUs)
  })
}

/** Moves the starts of rates closer; those that are due now keep their order. */
export async function wait(twins: Twins, ms: number): Promise<void> {
  await twins.t.sql.query(`
    update punctual.rates set next_us = next_us - ${ms * 1_000};
    update punctual.rate_starts set used_us = used_us - ${ms * 1_000};
    update punctual.gated set booked_us = booked_us - ${ms * 1_000};
    update punctual.limits set next_us = next_us - ${ms * 1_000} where next_us > 0;
    with now as (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms)
    update punctual.queue q set pos = case
      when o.pos - (${ms}::bigint << 20) > now.ms << 20 then o.pos - (${ms}::bigint << 20)
      else (now.ms << 20) + o.n end
    from now, (
      select run_id, pos, row_number() over (order by pos, run_id) as n from punctual.queue, now
      where pos >> 20 > now.ms) o
    where o.run_id = q.run_id`)
  const { db } = twins.memory
  db.transact(() => {
    for (const [rate, us] of db.rates.entries()) db.rates.set(rate, us - ms * 1_000)
    for (const [rate, us] of db.rateStarts.entries()) db.rateStarts.set(rate, us - ms * 1_000)
    for (const [name, row] of db.limits.entries())
      if (row.nextUs > 0) db.limits.set(name, { ...row, nextUs: row.nextUs - ms * 1_000 })
    for (const row of db.gated.values())
      if (row.bookedUs !== null)
        db.gated.set(row.runId, { ...row, bookedUs: row.bookedUs - ms * 1_000 })
    const ahead = db.queue.values().filter(({ posMs }) => posMs > db.nowMs)
    ahead.sort((a, b) => a.posMs - b.posMs || a.seq - b.seq || (a.runId < b.runId ? -1 : 1))
    ahead.forEach((row, n) => {
      const posMs = Math.max(row.posMs - ms, db.nowMs)
      const seq = posMs === db.nowMs ? n + 1 : row.seq
      db.queue.set(row.runId, { ...row, posMs, seq })
    })
  })
}

/** Bookings that move to the next second are due afterwards. */
export async function closeGaps(twins: Twins): Promise<void> {
  await twins.both(({ upkeep }) => upkeep.closeRateGaps())
  await wait(twins, 2_000)
}

export async function pause(twins: Twins, queue: string | null, on: boolean): Promise<void> {
  const where = queue === null ? 'queue is null' : `queue = '${queue}'`
  await twins.t.sql.query(`delete from punctual.pauses where ${where}`)
  if (on)
    await twins.t.sql.query(
      'insert into punctual.pauses (tenant_id, paused_at, queue) values (1, clock_timestamp(), $1)',
      [queue],
    )
  const { db } = twins.memory
  db.transact(() => {
    if (on) db.pauses.set(queue ?? '*', queue ?? '*')
    else db.pauses.delete(queue ?? '*')
  })
}

export async function drain(twins: Twins, worker: number, on: boolean): Promise<void> {
  const id = twins.sessions[worker] as string
  const at = on ? 'clock_timestamp()' : 'null'
  await twins.t.sql.query(`update punctual.sessions set drain_asked_at = ${at} where id = $1`, [id])
  await twins.memory.work.askToDrain(id, on)
  await twins.both(({ work }) => work.renewSession(id))
}
