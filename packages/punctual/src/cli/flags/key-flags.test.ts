import { expect, it } from 'vitest'
import { keyAnswer, keyOptions } from './key-flags.ts'

it('the flags say what the options of the library say', () => {
  expect(keyOptions({})).toEqual({})
  expect(keyOptions({ key: 'k' })).toEqual({ key: 'k' })
  expect(keyOptions({ key: 'k', onConflict: 'debounce', window: '5s', maxWait: '1m' })).toEqual({
    ...{ key: 'k', onConflict: 'debounce', window: 5_000, maxWait: 60_000 },
  })
})

it('a length of time that is none is refused', () => {
  expect(() => keyOptions({ window: 'soon' })).toThrow(/--window must be a length of time/)
})

it.for([
  ['created', 'Submitted r'],
  ['replaced', 'Replaced r'],
  ['existing', 'A run has this key: r'],
] as const)('what is %s is told so', ([outcome, told]) => {
  expect(keyAnswer({ id: 'r', created: outcome === 'created', outcome })).toBe(told)
})
