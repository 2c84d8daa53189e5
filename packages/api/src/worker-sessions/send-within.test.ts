import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sendWithin } from './send-within.ts'

/** More than the sockets of both sides buffer. */
const LARGE = Buffer.alloc(64 * 1_048_576)

/** Timers that fire when the test moves the time. */
class Timers {
  #nowMs = 0
  readonly #timers = new Set<{ atMs: number; call: () => void }>()

  get sleeping(): number {
    return this.#timers.size
  }

  after(ms: number, call: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, call }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  advance(ms: number): void {
    this.#nowMs += ms
    for (const timer of this.#timers) if (timer.atMs <= this.#nowMs) timer.call()
  }
}

let clock: Timers
let server: ReturnType<typeof createServer>
let answer: (response: ServerResponse) => void
let ended: string[]

beforeEach(async () => {
  clock = new Timers()
  ended = []
  server = createServer((_, response) => answer(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

function get() {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has a port.')
  return request({ host: '127.0.0.1', port: address.port, agent: false }).end()
}

it('a client that does not read its answer loses its connection after the time, not before', async () => {
  const sent = new Promise<ServerResponse>((resolve) => {
    answer = (response) => {
      sendWithin(response, clock, 60_000, () => ended.push('done'))
      response.end(LARGE)
      resolve(response)
    }
  })
  const slow = get()
  const [incoming] = await once(slow, 'response')
  incoming.pause()
  const response = await sent
  clock.advance(59_999)
  expect([response.destroyed, ended]).toEqual([false, []])
  const lost = once(incoming, 'error')
  clock.advance(1)
  await once(response, 'close')
  expect([response.destroyed, ended]).toEqual([true, ['done']])
  incoming.resume()
  await lost
})

it('an answer that was read ends once, and leaves no timer', async () => {
  answer = (response) => {
    sendWithin(response, clock, 60_000, () => ended.push('done'))
    response.end('short')
  }
  const [incoming] = await once(get(), 'response')
  incoming.resume()
  await once(incoming, 'end')
  await expect.poll(() => ended).toEqual(['done'])
  expect(clock.sleeping).toBe(0)
  clock.advance(120_000)
  expect(ended).toEqual(['done'])
})

it('an answer whose connection has ended already ends at once', async () => {
  const gone = new Promise<void>((resolve) => {
    answer = (response) =>
      response.once('close', () => {
        sendWithin(response, clock, 60_000, () => ended.push('done'))
        resolve()
      })
  })
  const leaving = get().on('error', () => undefined)
  await once(server, 'request')
  leaving.destroy()
  await gone
  expect(ended).toEqual(['done'])
})
