import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  errorCatalogue,
  invariant,
  NonRetryableError,
  PunctualError,
  RetryAfterError,
} from './errors.ts'

const page = readFileSync(new URL('../../../../docs/reference/errors.md', import.meta.url), 'utf8')
const table = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (.+?) \| (.+) \|$/gm)].map(
  ([, code, status, meaning, advice]) => ({ code, status: Number(status), meaning, advice }),
)

describe('docs/reference/errors.md', () => {
  test('lists every code of the catalogue in order, with its status and meaning', () => {
    expect(table.map(({ code, status, meaning }) => ({ code, status, meaning }))).toEqual(
      Object.entries(errorCatalogue).map(([code, entry]) => ({ code, ...entry })),
    )
  })

  test('has no row that this test fails to parse', () => {
    const codes = page.slice(page.indexOf('## Codes'), page.indexOf('## What JSON'))
    expect(codes.match(/^\|/gm)).toHaveLength(table.length + 2)
  })

  test('says for every code what to do', () => {
    for (const { code, advice } of table) expect(`${code}: ${advice}`).toMatch(/: .+\.$/)
  })
})

describe('the catalogue', () => {
  test('has snake_case codes, HTTP statuses, and meanings that are sentences', () => {
    for (const [code, { status, meaning }] of Object.entries(errorCatalogue)) {
      expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/)
      expect([400, 401, 403, 404, 409, 412, 413, 422, 429, 500, 503, 504]).toContain(status)
      expect(meaning).toMatch(/^[A-Z].+\.$/)
    }
  })
})

describe('a PunctualError', () => {
  test('carries its code, field, id and cause', () => {
    const cause = new Error('underlying')
    const error = new PunctualError('invalid_option', 'no', { field: 'priority', id: '7', cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'PunctualError',
      code: 'invalid_option',
      message: 'no',
      field: 'priority',
      id: '7',
      cause,
    })
    expect(error.stack).toContain('errors.test.ts')
  })

  test('has no cause when none was given', () => {
    expect('cause' in new PunctualError('stopped', 'no')).toBe(false)
    expect('cause' in new PunctualError('stopped', 'no', { cause: undefined })).toBe(false)
  })
})

test('errors for handlers have a name that identifies another copy of the class', () => {
  expect(new NonRetryableError('x').name).toBe('NonRetryableError')
  const later = new RetryAfterError(5_000)
  expect(later).toMatchObject({ name: 'RetryAfterError', retryAfterMs: 5_000 })
  expect(later.message).toBe('Retry after 5000 ms')
  expect(new RetryAfterError(1, 'busy').message).toBe('busy')
})

test('a broken invariant throws and names the condition', () => {
  expect(() => invariant(1, 'fine')).not.toThrow()
  expect(() => invariant(0, 'one row')).toThrow('Invariant broken: one row')
})
