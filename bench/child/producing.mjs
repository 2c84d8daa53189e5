/** The commands of a submitting process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { quantiles } from '../lib/quantiles.mjs'
import { makePayload, monotonicMs } from './payload.mjs'

const LAG_CHECK_MS = 5

export function producing(state) {
  let done = 0
  return {
    bulk: (args) => bulk(state, args),
    each: (args) => each(state, args),
    hold: () => state.client.hold(),
    release: () => state.client.release(),
    canHold: () => typeof state.client.hold === 'function',
    one: (args) => one(state, args),
    paced: (args) => paced(state, args),
    stream: (args) => stream(state, args, () => done),
    credit: (finished) => {
      done = finished
    },
  }
}

/**
 * Submits `count` runs in the adapter's best batches; due now, or spread over a later window. With
 * `keys`, each payload has one of that many keys; `options` apply to all of them.
 */
async function bulk(
  { adapter, client },
  { count, dueFromMs = 0, dueSpreadMs = 0, shuffled, keys, options },
) {
  const { batchSize, inFlight } = client.bulk ?? adapter.bulk
  const items = Array.from({ length: count }, (_, n) => {
    const key = keys === undefined ? {} : { key: `key-${n % keys}` }
    if (dueFromMs === 0) return { payload: { ...makePayload(n), ...key } }
    const share = shuffled ? Math.random() : n / count
    const dueMs = Math.round(dueFromMs + share * dueSpreadMs)
    return { payload: { ...makePayload(n), due: dueMs }, dueMs }
  })
  const startedAt = performance.now()
  let next = 0
  const lane = async () => {
    while (next < count) {
      const from = next
      next += batchSize
      await client.submitMany(items.slice(from, from + batchSize), options)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return elapsed(startedAt)
}

/** Single awaited submissions, always `inFlight` of them. */
async function each({ client }, { count, inFlight }) {
  const latenciesMs = []
  const startedAt = performance.now()
  let next = 0
  const lane = async () => {
    while (next < count) {
      const payload = makePayload(next++)
      const from = performance.now()
      await client.submitOne({ payload })
      latenciesMs.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  const { ms } = elapsed(startedAt)
  return { ms, perSecond: (count / ms) * 1000, ...quantiles(latenciesMs) }
}

async function one({ client }, { n }) {
  await client.submitOne({ payload: { ...makePayload(n), at: monotonicMs() } })
}

/** An open loop: `perSecond` single submissions, without waiting for earlier ones. */
async function paced({ client }, { perSecond, seconds }) {
  const startedAt = performance.now()
  const total = perSecond * seconds
  const pending = []
  for (let n = 0; n < total; ) {
    const target = Math.min(total, ((performance.now() - startedAt) / 1000) * perSecond)
    for (; n < target; n++) {
      pending.push(client.submitOne({ payload: { ...makePayload(n), at: monotonicMs() } }))
    }
    await sleep(2)
  }
  await Promise.all(pending)
  return { submitted: total }
}

/** A closed loop: batches as fast as accepted, at most `window` runs ahead of the workers. */
async function stream({ adapter, client }, { count, window, lanes }, done) {
  const { batchSize } = adapter.bulk
  const startedAt = performance.now()
  let next = 0
  const lane = async () => {
    while (next < count) {
      if (next - done() > window) {
        await sleep(LAG_CHECK_MS)
        continue
      }
      const size = Math.min(batchSize, count - next)
      const first = next
      next += size
      const at = monotonicMs()
      const items = Array.from({ length: size }, (_, i) => ({
        payload: { ...makePayload(first + i), at },
      }))
      await client.submitMany(items)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return elapsed(startedAt)
}

function elapsed(startedAt) {
  return {
    startedAtMs: performance.timeOrigin + startedAt,
    ms: performance.now() - startedAt,
  }
}
