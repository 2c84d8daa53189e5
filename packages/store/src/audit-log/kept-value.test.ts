import { limits } from '@punctual/core/errors'
import { describe, expect, it } from 'vitest'
import { keptValue } from './kept-value.ts'

const json = (value: unknown) => JSON.stringify(keptValue(value))
const kept = (value: unknown) => JSON.parse(json(value))

describe('the stored form of an audited value', () => {
  it('is null for null and undefined', () => {
    expect([keptValue(null), keptValue(undefined)]).toEqual([null, null])
  })

  it('is the value itself when it is short', () => {
    const value = { a: 1, b: [true, null, 'x'], c: { d: new Date(0), e: 5n } }
    expect(kept(value)).toEqual({
      a: 1,
      b: [true, null, 'x'],
      c: { d: '1970-01-01T00:00:00.000Z', e: '5' },
    })
  })

  it('omits values that look like secrets, at any depth', () => {
    const value = {
      headers: { Authorization: 'Bearer x', 'X-Api-Key': 'x', accept: 'json' },
      list: [{ password: 'x', dbPassword: 'x' }],
      client_secret: { any: 'x' },
      signingKey: 'x',
    }
    expect(json(value)).not.toContain('"x"')
    expect(kept(value).headers).toEqual({
      Authorization: '[redacted]',
      'X-Api-Key': '[redacted]',
      accept: 'json',
    })
  })

  it('cuts long members, and keeps their size, beginning and hash', () => {
    const value = kept({ name: 'nightly', payload: { text: 'é'.repeat(10_000) } })
    expect(value.name).toBe('nightly')
    expect(value.payload).toMatchObject({ cut: true, bytes: 20_011, begins: expect.any(String) })
    expect(value.payload.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(kept({ payload: { text: 'é'.repeat(10_001) } }).payload.sha256).not.toBe(
      value.payload.sha256,
    )
  })

  it('cuts the whole value when it has too many members', () => {
    const value = kept(Array.from({ length: 10_000 }, (_, n) => n))
    expect(value).toMatchObject({ cut: true })
    expect(JSON.stringify(value).length).toBeLessThan(limits.auditValueBytes)
  })

  it('replaces characters that PostgreSQL cannot store', () => {
    expect(kept({ a: 'x\u0000y', 'b\u0000': '\ud800', n: Number.NaN })).toEqual({
      a: 'x\ufffdy',
      'b\ufffd': '\ufffd',
      n: 'NaN',
    })
  })

  it('stops at a depth that cannot overflow the stack', () => {
    let deep: unknown = 1
    for (let n = 0; n < 100_000; n++) deep = [deep]
    expect(json(deep)).toContain('[deeper]')
  })
})
