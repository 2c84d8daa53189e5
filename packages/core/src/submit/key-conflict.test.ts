import { describe, expect, it } from 'vitest'
import { compileKeyConflict } from './key-conflict.ts'
import type { SubmitOptions } from './run-options.ts'
import { compileOptions } from './submission.ts'

const DAY = 86_400_000

describe('a submission whose key is taken', () => {
  it('returns the run that has the key by default', () => {
    expect(compileKeyConflict({})).toBeNull()
    expect(compileKeyConflict({ key: 'k' })).toBeNull()
    expect(compileKeyConflict({ key: 'k', onConflict: 'return' })).toBeNull()
  })

  it('with throttle is compiled to return with a window', () => {
    const window = '10m'
    const returned = compileKeyConflict({ key: 'k', window })
    expect(returned).toEqual({ mode: 'return', windowMs: 600_000 })
    expect(compileKeyConflict({ key: 'k', onConflict: 'throttle', window })).toEqual(returned)
    expect(compileKeyConflict({ key: 'k', onConflict: 'return', window })).toEqual(returned)
  })

  it.for(['replace', 'error'] as const)('%s needs no other option', (mode) => {
    expect(compileKeyConflict({ key: 'k', onConflict: mode })).toEqual({ mode })
  })

  it('a debounced run is due after its window', () => {
    const options = { key: 'k', onConflict: 'debounce', window: 500, maxWait: '2s' } as const
    expect(compileOptions('h', options)).toMatchObject({
      ...{ delayMs: 500, dueMs: null, key: 'k' },
      conflict: { mode: 'debounce', windowMs: 500, maxWaitMs: 2_000 },
    })
    const { maxWait: _, ...unbounded } = options
    expect(compileKeyConflict(unbounded)).toMatchObject({ maxWaitMs: null })
  })

  it.for([
    [1, 1],
    ['1ms', 1],
    ['1.5s', 1_500],
    ['24h', DAY],
    ['30d', 30 * DAY],
    [30 * DAY, 30 * DAY],
  ] as const)('a window of %s is %s ms', ([window, windowMs]) => {
    expect(compileKeyConflict({ key: 'k', window })).toMatchObject({ windowMs })
  })

  it.for([
    ...[0, -1, 1.5, 30 * DAY + 1, '31d', '0s', '', '5', '5 s', 's', '-5s', '1w', null, {}, []],
    ...[true, Number.NaN, Number.POSITIVE_INFINITY, '1e3s'],
  ])('a window of %j is refused', (window) => {
    expect(() => compileKeyConflict({ key: 'k', window })).toThrow(
      expect.objectContaining({ code: 'invalid_option', field: 'window' }),
    )
  })

  const key = 'k'
  it.for<[string, object, string]>([
    ['no key', { onConflict: 'replace' }, 'key'],
    ['no key, and a window', { window: '5s' }, 'key'],
    ['an unknown word', { key, onConflict: 'ignore' }, 'onConflict'],
    ['no word', { key, onConflict: null }, 'onConflict'],
    ['no window to debounce', { key, onConflict: 'debounce' }, 'window'],
    ['no window to throttle', { key, onConflict: 'throttle' }, 'window'],
    ['a window to replace', { key, onConflict: 'replace', window: 1 }, 'window'],
    ['a window of an error', { key, onConflict: 'error', window: 1 }, 'window'],
    ['maxWait alone', { key, maxWait: 1 }, 'maxWait'],
    ['maxWait to throttle', { key, onConflict: 'throttle', window: 1, maxWait: 2 }, 'maxWait'],
    ['a short maxWait', { key, onConflict: 'debounce', window: 2, maxWait: 1 }, 'maxWait'],
    ['runAt', { key, onConflict: 'debounce', window: 2, runAt: 5 }, 'runAt'],
    ['delayMs', { key, onConflict: 'debounce', window: 2, delayMs: 5 }, 'delayMs'],
  ])('%s is refused', ([, options, field]) => {
    expect(() => compileOptions('h', options as SubmitOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_option', field }),
    )
  })
})
