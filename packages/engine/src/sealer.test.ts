import { describe, expect, it } from 'vitest'
import { Sealer } from './sealer.ts'

function sealerOf(answers: { sealed: number; more: boolean }[]): Sealer {
  return new Sealer({ store: { seal: async () => answers.shift() ?? { sealed: 0, more: false } } })
}

describe('the sealer', () => {
  it('continues at once while more entries wait', async () => {
    expect(await sealerOf([{ sealed: 500, more: true }]).tick()).toBe(0)
  })

  it('rests longer when nothing waits than after it has sealed entries', async () => {
    const sealer = sealerOf([{ sealed: 3, more: false }])
    const [busy, idle] = [await sealer.tick(), await sealer.tick()]
    expect(busy).toBeGreaterThan(0)
    expect(idle).toBeGreaterThan(busy)
  })

  it('rests longer and longer while nothing waits, up to 30 s, until it has sealed an entry', async () => {
    const none = { sealed: 0, more: false }
    const sealer = sealerOf([none, none, none, none, none, { sealed: 1, more: false }, none])
    const rests = []
    for (let tick = 0; tick < 7; tick++) rests.push(await sealer.tick())
    expect(rests).toEqual([5_000, 10_000, 20_000, 30_000, 30_000, 1_000, 5_000])
  })
})
