import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Keyring } from './keyring.ts'

const key = () => randomBytes(32).toString('base64')
const identity = { tenantId: 1, name: 'mail', version: 3 }

describe('a keyring', () => {
  it('decrypts its own ciphertext, and never encrypts alike', () => {
    const ring = new Keyring([key()])
    const [one, two] = [ring.encrypt(identity, 'värde'), ring.encrypt(identity, 'värde')]
    expect(ring.decrypt(identity, one)).toBe('värde')
    expect(one.ciphertext.equals(two.ciphertext)).toBe(false)
    expect(one.ciphertext.includes('värde')).toBe(false)
  })

  it('encrypts with the first key and decrypts with all', () => {
    const [old, fresh] = [key(), key()]
    const sealed = new Keyring([old]).encrypt(identity, 'value')
    const both = new Keyring([fresh, old])
    expect(both.decrypt(identity, sealed)).toBe('value')
    expect(both.encrypt(identity, 'value').keyId).toBe(new Keyring([fresh]).currentId)
  })

  it('makes equal digests under the same key, the current one first, and needs a key', () => {
    const [old, fresh] = [key(), key()]
    const [digest] = new Keyring([old]).digests('text')
    expect(digest).toMatch(/^[0-9a-f]{64}$/)
    expect(new Keyring([old]).digests('text')).toEqual([digest])
    expect(new Keyring([old]).digests('other')).not.toEqual([digest])
    const both = new Keyring([fresh, old]).digests('text')
    expect(both).toEqual([...new Keyring([fresh]).digests('text'), digest])
    expect(() => new Keyring([]).digests('text')).toThrow(
      expect.objectContaining({ code: 'secrets_key_missing' }),
    )
  })

  it.each([
    ['tenant', { ...identity, tenantId: 2 }],
    ['name', { ...identity, name: 'other' }],
    ['version', { ...identity, version: 2 }],
  ])('does not decrypt a secret of another %s', (_, other) => {
    const ring = new Keyring([key()])
    expect(() => ring.decrypt(other, ring.encrypt(identity, 'value'))).toThrow(
      expect.objectContaining({ code: 'secret_unreadable' }),
    )
  })

  it('does not decrypt an altered or truncated secret', () => {
    const ring = new Keyring([key()])
    const sealed = ring.encrypt(identity, 'value')
    for (let at = 0; at < sealed.ciphertext.length; at++) {
      const ciphertext = Buffer.from(sealed.ciphertext)
      ciphertext.writeUInt8(ciphertext.readUInt8(at) ^ 1, at)
      expect(() => ring.decrypt(identity, { ...sealed, ciphertext })).toThrow(/altered/)
    }
    for (const length of [0, 1, 15, 16])
      expect(() =>
        ring.decrypt(identity, { ...sealed, ciphertext: sealed.ciphertext.subarray(0, length) }),
      ).toThrow(/altered/)
  })

  it('names the missing key by its id, and shows no key', () => {
    const [mine, other] = [key(), key()]
    const sealed = new Keyring([other]).encrypt(identity, 'value')
    const failing = () => new Keyring([mine]).decrypt(identity, sealed)
    expect(failing).toThrow(expect.objectContaining({ code: 'secret_unreadable' }))
    expect(failing).toThrow(sealed.keyId)
    expect(() => new Keyring([]).encrypt(identity, 'value')).toThrow(
      expect.objectContaining({ code: 'secrets_key_missing' }),
    )
  })

  it.each([
    '',
    'short',
    'x'.repeat(44),
    `${'A'.repeat(42)} =`,
    Buffer.alloc(31).toString('base64'),
  ])('refuses %j as a key without showing it', (bad) => {
    expect(() => new Keyring([bad])).toThrow(expect.objectContaining({ code: 'invalid_config' }))
    try {
      new Keyring([bad])
    } catch (error) {
      if (bad !== '') expect(String(error)).not.toContain(bad)
    }
  })
})
