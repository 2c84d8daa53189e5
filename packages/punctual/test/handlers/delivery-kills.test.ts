/**
 * Runs of every delivery mode under workers that are killed with -9 at random times, judged by
 * records that Punctual cannot touch: a file for effects outside the database, a table without any
 * key for effects inside it.
 */
import { eventually } from '@punctual/testkit'
import type { Delivery, FinishedRun } from 'punctual'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DeliveryKit, type Steps } from '../kit/delivery-kit.ts'

const KILLS = 24
const AT_ONCE = 4
const RUNS_EACH = 60

let kit: DeliveryKit
beforeEach(async () => {
  kit = await DeliveryKit.open()
})
afterEach(() => kit.close())

/** Workers in succession: each is killed at a random time after it began to work. */
async function killWorkers(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const worker = await kit.worker()
    await eventually('it has begun', () => worker.lines.some((line) => line.startsWith('start ')))
    // waits: the time of the kill is random, from before the first outcome to long after it
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300))
    await worker.kill()
  }
}

async function submit(delivery: Delivery, steps: Steps): Promise<readonly string[]> {
  const payloads = Array.from({ length: RUNS_EACH }, () => ({ steps }))
  const runs = await kit.punctual.submitMany('work', payloads, { delivery })
  return runs.map(({ id }) => id)
}

async function ended(ids: readonly string[]): Promise<readonly FinishedRun[]> {
  return Promise.all(ids.map((id) => kit.punctual.runs.waitFor(id, { timeoutMs: 90_000 })))
}

const quarantined = { state: 'dead', reason: 'quarantined' }

it('each delivery mode keeps its promise over two dozen kills at random times', async () => {
  await kit.sql('create table effects (run_id uuid, attempt integer)')
  const wait: readonly [string, number] = ['wait', 40]
  const plain = await submit('at-least-once', [[wait, ['effect'], wait]])
  const once = await submit('at-most-once', [[wait, ['effect'], wait]])
  const atomic = await submit('transactional', [[wait, ['write'], wait]])
  // Keeps the killed workers busy to the end.
  const rest = Array.from({ length: KILLS * 20 }, () => ({ steps: [[wait]] }))
  await kit.punctual.submitMany('work', rest, { priority: 0 })
  await Promise.all(Array.from({ length: AT_ONCE }, () => killWorkers(KILLS / AT_ONCE)))
  await kit.worker({ CONCURRENCY: '40' })

  const [repeated, single, committed] = [await ended(plain), await ended(once), await ended(atomic)]
  const effects = await kit.effects()
  const rows = await kit.sql<{ run_id: string; attempt: string }>('select * from effects')
  for (const run of repeated) {
    const happened = effects.get(run.id)?.length ?? 0
    if (run.state === 'succeeded') expect(happened).toBeGreaterThanOrEqual(1)
    else expect(run).toMatchObject(quarantined)
    if (happened > 1) expect(run.possibleDuplicate).toBe(true)
    const starts = run.attempts.filter(({ startedAt }) => startedAt !== null).length
    expect(run.possibleDuplicate).toBe(starts > 1)
  }
  for (const run of single) {
    const happened = effects.get(run.id) ?? []
    if (run.state === 'succeeded') expect(happened).toEqual([1])
    else expect([run.state, happened.length <= 1]).toEqual(['unknown', true])
    expect(run).toMatchObject({ possibleDuplicate: false, attempts: [{ attempt: 1 }] })
  }
  for (const run of committed) {
    const written = rows.filter((row) => row.run_id === run.id).map((row) => Number(row.attempt))
    if (run.state !== 'succeeded') expect(run).toMatchObject(quarantined)
    expect(written).toEqual(run.state === 'succeeded' ? [run.attempts.length] : [])
  }
}, 180_000)
