import { describe, expect, it } from 'vitest'
import { parseHeads, showHead } from './audit-flags.ts'

const hash = 'ab'.repeat(32)

describe('heads of chains', () => {
  it('are read in the form in which they are shown', () => {
    const heads = [
      { tenantId: 7, seq: 12, hash },
      { tenantId: null, seq: 1, hash },
    ]
    const shown = heads.map(({ tenantId, ...head }) => showHead(tenantId, head))
    expect(shown).toEqual([`7:12:${hash}`, `installation:1:${hash}`])
    expect(parseHeads('--expect-head', shown)).toEqual(heads)
  })

  it.each(['', '7', '7:1', `0:1:${hash}`, `7:0:${hash}`, `7:1:${hash}0`, `x:1:${hash}`])(
    'refuse %j',
    (text) => {
      expect(() => parseHeads('--expect-head', [text])).toThrow(/<tenant>:<place>:<hash>/)
    },
  )
})
