import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { goneOf } from './gone.ts'

let server: Server
let client: Socket
let response: ServerResponse

beforeEach(async () => {
  server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = connect(portOf(server), '127.0.0.1')
  response = await sendRequest()
})
afterEach(() => {
  client.destroy()
  server.close()
})

async function sendRequest(): Promise<ServerResponse> {
  client.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n')
  return new Promise((resolve) => server.once('request', (_, answer) => resolve(answer)))
}

function portOf(listening: Server): number {
  const address = listening.address()
  if (typeof address === 'object' && address !== null) return address.port
  throw new Error('The server has no port.')
}

it('aborts as soon as the client ends the connection, before it closes', async () => {
  const gone = goneOf(response)
  const atTheEnd = once(response.req.socket, 'end').then(() => gone.aborted)
  expect(gone.aborted).toBe(false)
  client.end()
  expect(await atTheEnd).toBe(true)
})

it('is aborted at once when the connection was already cut', async () => {
  client.resetAndDestroy()
  await once(response, 'close')
  expect(goneOf(response).aborted).toBe(true)
})

it('stays open when the connection ends after the answer, and removes its listener', async () => {
  const { socket } = response.req
  const listeners = socket.listenerCount('end')
  const gone = goneOf(response)
  response.end('answer')
  await once(response, 'close')
  expect(socket.listenerCount('end')).toBe(listeners)
  client.end()
  await once(socket, 'close')
  expect(gone.aborted).toBe(false)
})

it('reports the end of the connection to the next request only', async () => {
  const first = goneOf(response)
  response.end()
  const second = goneOf(await sendRequest())
  client.end()
  await once(response.req.socket, 'close')
  expect([first.aborted, second.aborted]).toEqual([false, true])
})
