/** Attacks through sessions of remote workers: their number, their leases, long polls, claims. */
import type { Attack } from './attack.ts'
import type { Sender } from './sender.ts'

/** The largest and the smallest lease, and two that are refused. */
const LEASES_MS = [600_000, 3_000, 3_600_000, 1_000]
const SESSIONS_MAX = 10_000
const LONG_POLLS = 1_000
const WAIT_MS = 15_000
const SLOW_READ_MS = 3_000

/** The sessions that the long polls use, by who opened them: a sender knows one server only. */
const openedBy = new WeakMap<Sender, string[]>()

function openedOf(sender: Sender): string[] {
  const opened = openedBy.get(sender) ?? []
  openedBy.set(sender, opened)
  return opened
}

async function open(sender: Sender, attack: string, leaseMs: number, handler: string) {
  const answer = await sender.send({
    ...{ of: attack, method: 'POST', path: '/worker-sessions', key: sender.key('worker') },
    body: JSON.stringify({ host: attack, handlers: [handler], capacity: 1_000, lease_ms: leaseMs }),
  })
  return /"id":\s*"(\d+)"/.exec(answer.text)?.[1] ?? null
}

export const sessions: Attack = {
  name: 'sessions',
  ...{ atOnce: 4, restMs: 10 },
  async strike(sender, turn) {
    if (turn >= SESSIONS_MAX) return
    const leaseMs = LEASES_MS[turn % LEASES_MS.length] ?? 3_000
    const id = await open(sender, 'sessions', leaseMs, `idle-${turn % 100}`)
    if (id !== null && leaseMs > 60_000) openedOf(sender).push(id)
  },
}

export const longPolls: Attack = {
  name: 'longPolls',
  ...{ atOnce: LONG_POLLS, restMs: 3_000 },
  async strike(sender, turn) {
    const opened = openedOf(sender)
    const id = opened[turn % Math.max(1, opened.length)]
    if (id === undefined) return
    const operation = turn % 2 === 0 ? 'claim' : 'wait'
    await sender.send({
      ...{ of: 'longPolls', method: 'POST', key: sender.key('worker'), held: true },
      path: `/worker-sessions/${id}/${operation}`,
      body: JSON.stringify({ wait_ms: WAIT_MS, ...(operation === 'claim' && { limit: 1 }) }),
    })
  },
}

/** Claims as much as a claim may return, reads it slowly, and never settles it. */
export const largeClaims: Attack = {
  name: 'largeClaims',
  ...{ atOnce: 8, restMs: 100 },
  async strike(sender) {
    const id = await open(sender, 'largeClaims', 3_000, 'large')
    if (id === null) return
    await sender.send({
      ...{ of: 'largeClaims', method: 'POST', key: sender.key('worker'), idleMs: SLOW_READ_MS },
      path: `/worker-sessions/${id}/claim`,
      body: '{"limit":1000,"wait_ms":2000}',
    })
    const key = sender.key('worker')
    await sender.send({ of: 'largeClaims', method: 'DELETE', path: `/worker-sessions/${id}`, key })
  },
}
