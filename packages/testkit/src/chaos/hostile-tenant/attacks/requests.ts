/** Attacks through many, large and expensive requests, and through connections. */
import { connect } from 'node:net'
import type { Route } from '../plan/attack-figures.ts'
import { type Attack, lines, rest } from './attack.ts'
import type { Sender } from './sender.ts'

const GUARANTEES_AT_ONCE = 300
const LARGE_JOBS = 40
const LARGE_BYTES = 900_000
const BULK_LINES = 400
const BULK_JOBS = 20_000
const STORM_CONNECTIONS = 100

export const guarantees: Attack = {
  name: 'guarantees',
  ...{ atOnce: 1, restMs: 3_000 },
  strike: (sender) =>
    Promise.all(
      Array.from({ length: GUARANTEES_AT_ONCE }, () =>
        sender.send({
          ...{ of: 'guarantees', method: 'GET', path: '/guarantees', key: sender.key('read') },
        }),
      ),
    ),
}

/** Stores jobs with large payloads, then lists all of them. */
export const largePages: Attack = {
  name: 'largePages',
  ...{ atOnce: 2, restMs: 100 },
  strike: (sender, turn) => {
    const attack = { of: 'largePages' }
    if (turn >= LARGE_JOBS)
      return sender.send({
        ...attack,
        method: 'GET',
        path: '/jobs?limit=1000',
        key: sender.key('read'),
      })
    const payload = 'x'.repeat(LARGE_BYTES)
    const body = JSON.stringify({ handler: 'nobody', schedule: '0 0 1 1 *', payload })
    const path = `/jobs/large-${turn}`
    return sender.send({ ...attack, method: 'PUT', path, key: sender.key('admin'), body })
  },
}

/** The last line is refused, after everything else was done. */
export const badLines: Attack = {
  name: 'badLines',
  ...{ atOnce: 12, restMs: 20 },
  strike: (sender, turn) => {
    const good = lines(BULK_LINES, (i) => ({
      ...{ name: `bulk-${(turn * BULK_LINES + i) % BULK_JOBS}`, handler: 'nobody' },
      schedule: '0 0 1 1 *',
    }))
    return sender.send({
      ...{ of: 'badLines', method: 'POST', path: '/jobs/bulk?mode=each', key: sender.key('admin') },
      ...{ body: `${good}\n{"handler":"nobody","schedule":"bad"}`, type: 'application/x-ndjson' },
    })
  },
}

/** Connections that are opened, used for a part of a request and thrown away. */
export const reconnects: Attack = {
  name: 'reconnects',
  ...{ atOnce: 1, restMs: 500 },
  async strike(sender) {
    const sockets = Array.from({ length: STORM_CONNECTIONS }, () => {
      const { hostname, port } = new URL(sender.server())
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.write('POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{')
      return socket
    })
    await rest(200, sender.ending)
    for (const socket of sockets) socket.destroy()
  },
}

/** Every route of the document, each time with another of the keys. */
export function flood(
  routes: readonly Route[],
): (sender: Sender, turn: number) => Promise<unknown> {
  const id = '01900000-0000-7000-8000-000000000000'
  const scopes = ['read', 'admin', 'submit', 'worker'] as const
  return (sender, turn) => {
    const route = routes[turn % routes.length]
    if (!route) return Promise.resolve()
    const path = route.path.replace(/^\/v1/, '').replace(/\{\w+\}/g, id)
    const scope = scopes[Math.floor(turn / routes.length) % scopes.length] ?? 'read'
    const body = route.method === 'GET' || route.method === 'DELETE' ? {} : { body: '{}' }
    return sender.send({
      ...{ of: 'flood', method: route.method, path, key: sender.key(scope), ...body },
    })
  }
}
