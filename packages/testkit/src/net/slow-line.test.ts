import { expect, it } from 'vitest'
import { SlowLine } from './slow-line.ts'

it('pieces arrive in the order sent, however the latency changes', async () => {
  const arrived: number[] = []
  const done = new Promise<void>((resolve) => {
    const line = new SlowLine((bytes) => {
      arrived.push(bytes.readUInt32BE())
      if (arrived.length === 300) resolve()
    })
    let n = 0
    const send = () => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(n)
      // Slow, then fast, then a little slow: pieces behind the slow ones arrive with them.
      line.send(bytes, n < 100 ? 40 : n < 200 ? 0 : n % 7)
      if (++n < 300) setImmediate(send)
    }
    send()
  })
  await done
  expect(arrived).toEqual([...arrived].sort((a, b) => a - b))
})

it('without latency a piece arrives at once', () => {
  const arrived: string[] = []
  new SlowLine((bytes) => arrived.push(bytes.toString())).send(Buffer.from('now'), 0)
  expect(arrived).toEqual(['now'])
})
