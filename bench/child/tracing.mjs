/**
 * The instants at which a process of Punctual sends statements, gets their answers and gets hints,
 * read at the driver: nothing of the product is changed for it.
 */
import { createRequire } from 'node:module'
import { monotonicMs } from './payload.mjs'

const STORE = new URL('../../packages/store/package.json', import.meta.url)

export function tracing() {
  const seen = []
  const note = (what) => seen.push({ what, at: monotonicMs() })
  return {
    /** To be called before connections are opened. */
    trace: () => watchDriver(note),
    /** Returns what was seen since the last call. */
    traced: () => seen.splice(0),
  }
}

function watchDriver(note) {
  const { Client } = createRequire(STORE)('pg')
  const { query, connect } = Client.prototype
  Client.prototype.query = function (config, ...rest) {
    const name = config?.name
    const answer = query.call(this, config, ...rest)
    if (name === undefined) return answer
    note(`sent ${name}`)
    const answered = () => note(`answered ${name}`)
    answer?.then(answered, answered)
    return answer
  }
  Client.prototype.connect = function (...args) {
    this.on('notification', () => note('notified'))
    return connect.apply(this, args)
  }
}
