import { expect, it } from 'vitest'
import { keyAnswer, keyOptions } from './key-flags.ts'

it('turns the flags into options of the library', () => {
  expect(keyOptions({})).toEqual({})
  expect(keyOptions({ key: 'k' })).toEqual({ key: 'k' })
  expect(keyOptions({ key: 'k', onConflict: 'debounce', window: '5s', maxWait: '1m' })).toEqual({
    ...{ key: 'k', onConflict: 'debounce', window: 5_000, maxWait: 60_000 },
  })
})

it('refuses a malformed duration', () => {
  expect(() => keyOptions({ window: 'soon' })).toThrow(/--window must be a duration/)
})

it.for([
  ['created', 'Submitted r'],
  ['replaced', 'Replaced r'],
  ['existing', 'A run with this key exists: r'],
] as const)('reports %s', ([outcome, message]) => {
  expect(keyAnswer({ id: 'r', created: outcome === 'created', outcome })).toBe(message)
})
