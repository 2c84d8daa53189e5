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
})
