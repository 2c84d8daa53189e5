/** Handlers for a separate thread or process: the payload chooses how they succeed or fail. */
import { spawn } from 'node:child_process'
import { parentPort, threadId } from 'node:worker_threads'
import { NonRetryableError, RetryAfterError } from '@punctual/core/errors'

/** Identifies the thread or process. */
const place = `${process.pid} ${threadId}`

const aborted = (signal) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

export default (payload, ctx) => acts[payload.act](payload, ctx)

const acts = {
  about(payload, ctx) {
    ctx.log.info('hello', { from: place })
    ctx.progress(0.5)
    ctx.heartbeat()
    const { runId, attempt, maxAttempts, idempotencyKey, handler, queue, trace, job } = ctx
    const details = { runId, attempt, maxAttempts, idempotencyKey, handler, queue, trace, job }
    return { place, payload, ...details, due: ctx.dueAt instanceof Date, last: ctx.lastCheckpoint }
  },

  where: () => place,

  throw({ what }) {
    if (what === 'coded') throw Object.assign(new TypeError('no good'), { code: 'E_GOOD' })
    if (what === 'final') throw new NonRetryableError('never')
    if (what === 'later') throw new RetryAfterError(3_600_000, 'in an hour')
    throw 'just text'
  },

  /** Never returns and ignores its signal. */
  block(_, ctx) {
    ctx.log.info('blocking')
    for (;;);
  },

  heed: (_, ctx) => aborted(ctx.signal),

  exit(_, ctx) {
    if (ctx.attempt > 1) return place
    process.exit(3)
  },

  uncaught(_, ctx) {
    if (ctx.attempt > 1) return place
    queueMicrotask(() => {
      throw Object.assign(new RangeError('nobody caught this'), { code: 'E_LOOSE' })
    })
    return aborted(ctx.signal)
  },

  async steps(_, ctx) {
    const last = ctx.lastCheckpoint?.step ?? 0
    await ctx.checkpoint({ step: last + 1 })
    if (last < 2) throw new Error(`after step ${last + 1}`)
    return last
  },

  async transactions(_, ctx) {
    const refused = []
    try {
      ctx.tx.query('select 1')
    } catch (error) {
      refused.push(error.code)
    }
    await ctx.transaction(() => undefined).catch((error) => refused.push(error.code))
    return refused
  },

  /** Starts a child, reports its id, and blocks. */
  spawn(_, ctx) {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' })
    ctx.log.info('spawned', { pids: [process.pid, child.pid] })
    for (;;);
  },

  /** Sends messages to its parent, like a program that is not only a handler. */
  async says({ what, stay }, ctx) {
    for (const message of what) {
      if (parentPort) parentPort.postMessage(message)
      else await new Promise((sent) => process.send(message, sent))
    }
    return stay ? aborted(ctx.signal) : place
  },

  oddOutput: () => ({ count: 1n }),
  oddProgress: (_, ctx) => ctx.progress(() => 1),
}

export function hoard() {
  const hoard = []
  for (;;) hoard.push(new Array(10_000).fill(hoard.length))
}

export const kinds = ({ at }) => ({ date: at instanceof Date, year: at.getFullYear() })
