import { expect, test } from 'vitest'
import { EventReader, linesOf } from './server-sent-events.ts'

function bodyOf(...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces)
        controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece)
      controller.close()
    },
  })
}

async function eventsOf(...pieces: (string | Uint8Array)[]) {
  const reader = new EventReader('')
  const events = []
  for await (const line of linesOf(bodyOf(...pieces))) {
    const event = reader.line(line)
    if (event) events.push(event)
  }
  return { events, reader }
}

test('an event has a type, lines of data and an id', async () => {
  const { events } = await eventsOf('id: 7\nevent: run.dead\ndata: {"a":\ndata: 1}\n\n')
  expect(events).toEqual([{ type: 'run.dead', data: '{"a":\n1}', lastEventId: '7' }])
})

test('pieces may be cut anywhere, even inside a character or a line break', async () => {
  const text = 'id: 1\r\ndata: für\r\n\r\nid: 2\rdata: x\r\rdata:y\n\n'
  const bytes = new TextEncoder().encode(text)
  const { events } = await eventsOf(...[...bytes].map((byte) => Uint8Array.of(byte)))
  expect(events.map(({ data, lastEventId }) => [data, lastEventId])).toEqual([
    ['für', '1'],
    ['x', '2'],
    ['y', '2'],
  ])
})

test('comments yield no event, and a block with only an id moves the position', async () => {
  const { events, reader } = await eventsOf(': alive\n\n: alive\nid: 9\n\nretry: 250\n\n')
  expect(events).toEqual([])
  expect([reader.lastEventId, reader.retryMs]).toEqual(['9', 250])
})

test('the id of a block that was cut does not count, because its event was not delivered', async () => {
  const { events, reader } = await eventsOf('id: 1\ndata: a\n\nid: 2\ndata: b\n')
  expect(events).toHaveLength(1)
  reader.begin()
  expect(reader.lastEventId).toBe('1')
  expect(reader.line('')).toBeNull()
})
