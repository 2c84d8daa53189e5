/** The heartbeat thread renews a lease, is restarted when it dies, and ends when it is stopped. */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { eventually, freePort, type Gate, gate, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createHeartbeat } from '../../src/heartbeat/heartbeat.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

/** The next worker thread that this process starts. */
async function nextThread(): Promise<Worker> {
  const [thread] = await once(process, 'worker')
  return thread as Worker
}

async function beating(stallMs = 60_000) {
  const sessionId = await t.session()
  const seen: { lost: boolean; expiring: boolean; failures: string[]; renewed: Gate } = {
    ...{ lost: false, expiring: false, failures: [], renewed: gate() },
  }
  const heartbeat = createHeartbeat({
    ...{ url: t.url, schema: 'punctual', renewMs: 50, stallMs },
  })
  const launched = nextThread()
  const beat = heartbeat.start(sessionId, 30_000, {
    onRenewed: () => seen.renewed.open(),
    onExpiring: () => {
      seen.expiring = true
    },
    onLost: () => {
      seen.lost = true
    },
    onFailing: (message) => seen.failures.push(message),
  })
  onTestFinished(() => beat.stop())
  /** Resolves with the next renewal from now on. */
  const renewal = () => {
    seen.renewed = gate()
    return seen.renewed.opened
  }
  return { sessionId, seen, beat, renewal, thread: await launched }
}

async function renewedAt(sessionId: string): Promise<number> {
  const session = (await t.store.workers.sessions()).find(({ id }) => id === sessionId)
  return session?.renewedAt.getTime() ?? Number.NaN
}

it('a heartbeat thread that dies is restarted and renews the same session', async () => {
  const { sessionId, seen, renewal, thread } = await beating()
  await renewal()
  const again = nextThread()
  await thread.terminate()
  const before = await renewedAt(sessionId)
  const second = await again
  expect(second.threadId).not.toBe(thread.threadId)
  await renewal()
  await renewal()
  expect(await renewedAt(sessionId)).toBeGreaterThan(before)
  expect(seen.lost).toBe(false)
})

it('a heartbeat thread is restarted each time it dies', async () => {
  let { renewal, thread } = await beating()
  for (let death = 0; death < 3; death++) {
    await renewal()
    const again = nextThread()
    await thread.terminate()
    thread = await again
  }
  await renewal()
})

it('a heartbeat stopped after its thread died is not restarted', async () => {
  const { renewal, beat, thread } = await beating()
  await renewal()
  let launched = 0
  const count = () => launched++
  process.on('worker', count)
  onTestFinished(() => void process.off('worker', count))
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await thread.terminate()
  await beat.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(launched).toBe(0)
})

it('a heartbeat that lost its session reports it, and its thread is not restarted', async () => {
  const { sessionId, seen, thread } = await beating()
  const ended = once(thread, 'exit')
  await t.sql.query('delete from punctual.sessions where id = $1', [sessionId])
  await ended
  expect(seen.lost).toBe(true)
})

it('stopping a heartbeat ends its thread and keeps the session', async () => {
  const { sessionId, renewal, beat, thread } = await beating()
  await renewal()
  const ended = once(thread, 'exit')
  await beat.stop()
  await ended
  expect((await t.store.workers.sessions()).some(({ id }) => id === sessionId)).toBe(true)
})

it('a heartbeat thread stops renewing while the event loop is blocked, and resumes after', async () => {
  const { seen, renewal } = await beating(200)
  await renewal()
  await eventually('the thread detects the blocked process', () => {
    // waits: the event loop must be blocked for longer than the allowed stall.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
    return seen.failures.some((message) => message.includes('blocked for too long'))
  })
  await renewal()
})

it('a lease expires counted from its request, also when its thread starts late (case 25)', async () => {
  const unreachable = new URL(t.url)
  unreachable.port = String(await freePort())
  const heartbeat = createHeartbeat({
    ...{ url: unreachable.href, schema: 'punctual', renewMs: 10_000, stallMs: 60_000 },
  })
  const expiring = gate()
  const ignore = () => undefined
  const events = { onRenewed: ignore, onLost: ignore, onFailing: ignore }
  const all = { ...events, onExpiring: () => expiring.open() }
  // Nine of the ten minutes of the lease have passed: counted from now, the test would time out.
  const beat = heartbeat.start('1', 600_000, all, 540_000)
  onTestFinished(() => beat.stop())
  await expiring.opened
})
