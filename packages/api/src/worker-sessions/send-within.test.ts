import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import { ManualClock } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sendWithin } from './send-within.ts'

/** More than the sockets of both sides buffer. */
const LARGE = Buffer.alloc(64 * 1_048_576)

let clock: ManualClock
let server: ReturnType<typeof createServer>
let answer: (response: ServerResponse) => void
let ended: string[]

beforeEach(async () => {
  clock = new ManualClock()
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
  await clock.advance(59_999)
  expect([response.destroyed, ended]).toEqual([false, []])
  const lost = once(incoming, 'error')
  await clock.advance(1)
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
  await clock.advance(120_000)
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
