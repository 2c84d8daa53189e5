import { describe, expect, it } from 'vitest'
import { makeApiKey, prefixOfApiKey } from './api-key.ts'
import { checksumOf } from './checksum.ts'

/** Deterministic bytes, which suffice to check the format of keys. */
function aRandom(seed = 1) {
  let state = seed
  return {
    fraction: () => 0.5,
    token: () => '1',
    fill: (bytes: Uint8Array) => {
      for (let i = 0; i < bytes.length; i++) {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        bytes[i] = state >>> 16
      }
    },
  }
}

const key = makeApiKey(aRandom())

describe('an API key', () => {
  it('has a prefix, a public part, 190 bits of secret and a checksum', () => {
    expect(key).toMatch(/^punctual_[0-9A-Za-z]{12}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/)
    expect(prefixOfApiKey(key)).toBe(key.slice(0, 21))
    expect(32 * Math.log2(62)).toBeGreaterThan(190)
  })

  it('is different each time, and uses every digit', () => {
    const random = aRandom(7)
    const keys = Array.from({ length: 200 }, () => makeApiKey(random))
    expect(new Set(keys).size).toBe(200)
    expect(new Set(keys.map(prefixOfApiKey)).size).toBe(200)
    const digits = new Set(keys.flatMap((key) => [...key.slice(9).replaceAll('_', '')]))
    expect(digits.size).toBe(62)
  })

  it('is refused with any one character changed, dropped or doubled', () => {
    for (let i = 0; i < key.length; i++) {
      const [before, after] = [key.slice(0, i), key.slice(i + 1)]
      for (const other of ['0', 'a', 'Z', '_', 'é', ' '])
        if (other !== key[i]) expect(prefixOfApiKey(before + other + after)).toBeNull()
      expect(prefixOfApiKey(before + after)).toBeNull()
      expect(prefixOfApiKey(before + key[i] + key[i] + after)).toBeNull()
    }
  })

  it('is refused with two neighbours swapped, or with one character in the other case', () => {
    for (let i = 0; i + 1 < key.length; i++) {
      const swapped = key.slice(0, i) + key[i + 1] + key[i] + key.slice(i + 2)
      if (swapped !== key) expect(prefixOfApiKey(swapped)).toBeNull()
    }
    for (const changed of [key.toUpperCase(), key.toLowerCase()])
      expect(prefixOfApiKey(changed)).toBeNull()
  })

  it.each([
    ['nothing', ''],
    ['no text', 17],
    ['undefined', undefined],
    ['a key with a line end', `${key}\n`],
    ['a key with blanks', ` ${key}`],
    ['a key of another service', `stripe${key.slice(8)}`],
    ['two keys', `${key}${key}`],
    ['a key cut at its checksum', key.slice(0, -7)],
    ['a megabyte', 'punctual_'.repeat(120_000)],
  ])('%s is not a key', (_, text) => {
    expect(prefixOfApiKey(text)).toBeNull()
  })
})

it('the checksum is the standard CRC-32', () => {
  // CRC-32 of "123456789" is cbf43926 = 3421780262.
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const value = [...checksumOf('123456789')].reduce(
    (sum, digit) => sum * 62 + digits.indexOf(digit),
    0,
  )
  expect(value).toBe(0xcbf43926)
})
