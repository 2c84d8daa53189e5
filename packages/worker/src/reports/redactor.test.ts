import { describe, expect, it } from 'vitest'
import { Redactor } from './redactor.ts'

const SECRET = 'p@ss/wörd "quoted" +1'

function redactor(...values: string[]): Redactor {
  const made = new Redactor()
  for (const value of values) made.add(value)
  return made
}

describe('redacting text', () => {
  it('removes values, also in the middle and several times', () => {
    const text = redactor('hunter2hunter2').text('a=hunter2hunter2&b=hunter2hunter2')
    expect(text).toBe('a=[redacted]&b=[redacted]')
  })

  it('leaves all other text unchanged', () => {
    expect(redactor('hunter2hunter2').text('hunter2 hunter2')).toBe('hunter2 hunter2')
  })

  it.each([
    ['JSON', JSON.stringify({ key: SECRET })],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ key: SECRET }))],
    ['base64', Buffer.from(SECRET).toString('base64')],
    ['base64url', Buffer.from(SECRET).toString('base64url')],
    ['hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['a URL', new URL(`https://x.org/?q=${encodeURIComponent(SECRET)}`).href],
    ['a form', new URLSearchParams({ key: SECRET }).toString()],
    ['a URL in lower case', encodeURIComponent(SECRET).replace(/%../g, (hex) => hex.toLowerCase())],
  ])('removes values encoded as %s', (_, text) => {
    const clean = redactor(SECRET).text(text)
    expect(clean).toContain('[redacted]')
    expect(clean).not.toContain('quoted')
    expect(clean).not.toContain(Buffer.from(SECRET).toString('base64').slice(2, 12))
  })

  it.each(['', 'u', 'us', 'user:', 'longer user:'])(
    'removes the value from the base64 of %j followed by it',
    (before) => {
      const text = Buffer.from(`${before}${SECRET}:after`).toString('base64')
      const clean = redactor(SECRET).text(`Authorization: Basic ${text}`)
      const decoded = Buffer.from(clean.split(' ').at(-1) as string, 'base64').toString()
      expect(clean).toContain('[redacted]')
      expect(decoded).not.toContain('quoted')
    },
  )

  it('removes a value before another one that is a part of it', () => {
    expect(redactor('abcdefgh', 'abcdefgh-ijkl').text('x abcdefgh-ijkl y')).toBe('x [redacted] y')
  })

  it('removes the beginning of a value at the end of a truncated text', () => {
    const clean = redactor('hunter2hunter2').text('the key is hunter2hunt… (truncated)')
    expect(clean).toBe('the key is [redacted]… (truncated)')
  })
})

describe('redacting JSON', () => {
  it('leaves valid JSON for every value', () => {
    const values = [
      'nABCDEFGH',
      '","admin":"',
      '\\\\\\\\\\\\\\\\',
      '\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007',
    ]
    for (const value of values) {
      const json = JSON.stringify({ text: `\n${value}`, nested: [{ [value]: value }], n: 1.5 })
      const clean = JSON.parse(redactor(value).json(json))
      expect(JSON.stringify(clean)).not.toContain(JSON.stringify(value).slice(1, -1))
      expect(clean).toMatchObject({ nested: [{ '[redacted]': '[redacted]' }], n: 1.5 })
    }
  })

  it('removes a number that is the value', () => {
    expect(redactor('12345678').json('{"pin":12345678,"n":7}')).toBe('{"pin":"[redacted]","n":7}')
  })
})
