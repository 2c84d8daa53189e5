import { describe, expect, test } from 'vitest'
import { compileReplayPace, nextReplayStep, type ReplayTally, watchesEnds } from './replay-pace.ts'

const tally = (changes: Partial<ReplayTally> = {}): ReplayTally => ({
  ...{ released: 0, ended: 0, failed: 0, sinceReleaseMs: Number.POSITIVE_INFINITY },
  ...changes,
})

describe('the pace of a replay', () => {
  test('releases the runs of a quarter of a second at a time, then waits that long', () => {
    const rules = compileReplayPace({ perSecond: 40 })
    expect(nextReplayStep(rules, tally())).toEqual({ kind: 'release', most: 10 })
    const after = (sinceReleaseMs: number) =>
      nextReplayStep(rules, tally({ released: 10, sinceReleaseMs }))
    expect(after(100)).toEqual({ kind: 'wait', ms: 150 })
    expect(after(250)).toEqual({ kind: 'release', most: 10 })
  })

  test('releases one run at a time when it is slow, and checks every second', () => {
    const rules = compileReplayPace({ perSecond: 0.1 })
    expect(nextReplayStep(rules, tally())).toEqual({ kind: 'release', most: 1 })
    const after = (sinceReleaseMs: number) =>
      nextReplayStep(rules, tally({ released: 1, sinceReleaseMs }))
    expect(after(0)).toEqual({ kind: 'wait', ms: 1_000 })
    expect(after(9_900)).toEqual({ kind: 'wait', ms: 100 })
    expect(after(10_000)).toEqual({ kind: 'release', most: 1 })
  })

  test.for([0.3, 1, 3, 7, 50, 999, 10_000])('never exceeds %d per second', (perSecond) => {
    const rules = compileReplayPace({ perSecond })
    let [released, nowMs, releasedAtMs] = [0, 0, Number.NEGATIVE_INFINITY]
    for (let steps = 0; steps < 500; steps++) {
      const step = nextReplayStep(rules, tally({ released, sinceReleaseMs: nowMs - releasedAtMs }))
      if (step.kind === 'wait') nowMs += step.ms
      if (step.kind !== 'release') continue
      released += step.most
      releasedAtMs = nowMs
      const first = Math.max(1, perSecond / 4)
      expect(released).toBeLessThanOrEqual(first + (perSecond * nowMs) / 1_000 + 1e-6)
    }
    expect(released).toBeGreaterThan(perSecond * (nowMs / 1_000) * 0.7)
  })

  test('holds the other runs until the whole canary has ended', () => {
    const rules = compileReplayPace({ perSecond: 400, canary: 3 })
    const step = (changes: Partial<ReplayTally>) => nextReplayStep(rules, tally(changes))
    expect(step({})).toEqual({ kind: 'release', most: 3 })
    expect(step({ released: 2, ended: 2 })).toEqual({ kind: 'release', most: 1 })
    expect(step({ released: 3 })).toEqual({ kind: 'wait', ms: 250 })
    expect(step({ released: 3, ended: 2 })).toEqual({ kind: 'wait', ms: 250 })
    expect(step({ released: 3, ended: 3 })).toEqual({ kind: 'release', most: 100 })
  })

  test('stops at any failure of a canary unless a bound is named', () => {
    const strict = compileReplayPace({ canary: 4 })
    const lenient = compileReplayPace({ canary: 4, stopAtFailureRate: 0.25 })
    const one = tally({ released: 4, ended: 4, failed: 1 })
    expect(nextReplayStep(strict, one)).toEqual({ kind: 'stop', failureRate: 0.25 })
    expect(nextReplayStep(lenient, one).kind).toBe('release')
    const two = tally({ released: 4, ended: 4, failed: 2 })
    expect(nextReplayStep(lenient, two)).toEqual({ kind: 'stop', failureRate: 0.5 })
  })

  test('continues despite failures after a canary without a bound', () => {
    const rules = compileReplayPace({ canary: 2 })
    expect(nextReplayStep(rules, tally({ released: 90, ended: 90, failed: 88 })).kind).toBe(
      'release',
    )
  })

  test('judges the rate once enough have ended, and stops beyond the bound, not at it', () => {
    const rules = compileReplayPace({ stopAtFailureRate: 0.2, minEnded: 10 })
    const step = (ended: number, failed: number) =>
      nextReplayStep(rules, tally({ released: 50, ended, failed })).kind
    expect(step(9, 9)).toBe('release')
    expect(step(10, 2)).toBe('release')
    expect(step(10, 3)).toBe('stop')
  })

  test('is refused when it is invalid', () => {
    const fields = (pace: object) => {
      try {
        compileReplayPace(pace)
      } catch (error) {
        return (error as { field?: string }).field
      }
      return null
    }
    for (const perSecond of [0, -1, Number.NaN, 10_001, '5', Number.NEGATIVE_INFINITY])
      expect(fields({ perSecond })).toBe('perSecond')
    for (const canary of [-1, 1.5, '2', 1e9]) expect(fields({ canary })).toBe('canary')
    for (const stopAtFailureRate of [-0.1, 1.1, Number.NaN, '0.5'])
      expect(fields({ stopAtFailureRate })).toBe('stopAtFailureRate')
    expect(fields({ minEnded: 0 })).toBe('minEnded')
  })

  test('does not need the ends to be counted without a canary and a bound', () => {
    expect(watchesEnds(compileReplayPace({}))).toBe(false)
    expect(watchesEnds(compileReplayPace({ canary: 1 }))).toBe(true)
    expect(watchesEnds(compileReplayPace({ stopAtFailureRate: 0 }))).toBe(true)
  })
})
