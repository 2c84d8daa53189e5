import { describe, expect, test } from 'vitest'
import { type PreviewOptions, previewFires } from './preview-fires.ts'

const from = new Date('2026-03-28T12:00:00Z')

/** Formats local time, note, and whether the fire is shown for a clock change. */
function preview(expression: string | number, options: Partial<PreviewOptions> = {}): string[] {
  const all = previewFires(expression, { from, tz: 'Europe/Berlin', count: 2, ...options })
  return all.map(({ at, local, note, around }) => {
    expect(new Date(local)).toEqual(at)
    return `${around ? '~ ' : ''}${local}${note ? ` ${note}` : ''}`
  })
}

describe('a preview', () => {
  test('shows local times with their offset', () => {
    expect(preview('0 12 * * *')).toEqual([
      '2026-03-29T12:00:00+02:00',
      '2026-03-30T12:00:00+02:00',
    ])
    expect(preview('0 12 * * *', { tz: 'UTC', count: 1 })).toEqual(['2026-03-29T12:00:00+00:00'])
    expect(preview('0 12 * * *', { tz: 'America/St_Johns', count: 1 })).toEqual([
      '2026-03-28T12:00:00-02:30',
    ])
    expect(preview('1s', { anchor: from.getTime() + 5, count: 1 })).toEqual([
      '2026-03-28T13:00:00.005+01:00',
    ])
  })

  test('notes when a time was moved because it does not exist', () => {
    expect(preview('30 2 * * *', { count: 1 })).toEqual([
      '2026-03-29T03:00:00+02:00 moved: 02:30 does not exist on this day',
    ])
    expect(preview('30 2 * * *', { count: 1, gap: 'shift' })).toEqual([
      '2026-03-29T03:30:00+02:00 moved: 02:30 does not exist on this day',
    ])
    expect(preview('0,15,30,45 2 * * *', { count: 1 })).toEqual([
      '2026-03-29T03:00:00+02:00 moved: 02:00, 02:15, 02:30 and more do not exist on this day',
    ])
    expect(preview('1d', { count: 1, anchor: Date.parse('2026-03-01T01:30:15Z') })).toEqual([
      '2026-03-29T03:00:00+02:00 moved: 02:30:15 does not exist on this day',
    ])
  })

  test('names the day when the missing time is on another day', () => {
    expect(preview('0 23 * * 6', { tz: 'America/Nuuk', count: 1 })).toEqual([
      '2026-03-29T00:00:00-01:00 moved: 2026-03-28 23:00 does not exist',
    ])
  })

  test('notes skipped times on the next fire', () => {
    expect(preview('30 2 * * *', { count: 1, gap: 'skip' })).toEqual([
      '2026-03-30T02:30:00+02:00 skipped: 2026-03-29 02:30 does not exist',
    ])
    expect(preview('30 1-3 * * *')).toEqual([
      '2026-03-29T01:30:00+01:00',
      '2026-03-29T03:30:00+02:00 skipped: 02:30 does not exist on this day',
    ])
  })

  test('notes which pass of a repeated time a fire is in', () => {
    const autumn = { from: new Date('2026-10-24T12:00:00Z') }
    expect(preview('30 2 * * *', { ...autumn, fold: 'both' })).toEqual([
      '2026-10-25T02:30:00+02:00 repeated hour, first pass',
      '2026-10-25T02:30:00+01:00 repeated hour, second pass',
    ])
    expect(preview('30 2 * * *', { ...autumn, fold: 'last' })[0]).toContain('second pass')
    const lordHowe = { from: new Date('2026-04-04T13:59:00Z'), tz: 'Australia/Lord_Howe' }
    expect(preview('45 1 * * *', { ...lordHowe, count: 1 })).toEqual([
      '2026-04-05T01:45:00+11:00 repeated 30 minutes, first pass',
    ])
  })

  test('has no note for elapsed time in a gap, which has no times that could be missing', () => {
    expect(preview('1h', { from: new Date('2026-03-29T00:00:00Z'), count: 1 })).toEqual([
      '2026-03-29T03:00:00+02:00',
    ])
  })
})

describe('a preview around clock changes', () => {
  test('adds the fires before and after the next two changes', () => {
    expect(preview('30 2 * * *', { count: 1, aroundChanges: true })).toEqual([
      '2026-03-29T03:00:00+02:00 moved: 02:30 does not exist on this day',
      '~ 2026-03-30T02:30:00+02:00',
      '~ 2026-03-31T02:30:00+02:00',
      '~ 2026-10-24T02:30:00+02:00',
      '~ 2026-10-25T02:30:00+02:00 repeated hour, first pass',
      '~ 2026-10-26T02:30:00+01:00',
      '~ 2026-10-27T02:30:00+01:00',
      '~ 2026-10-28T02:30:00+01:00',
    ])
  })

  test('stays short for a dense schedule and shows both passes', () => {
    const all = preview('* * * * * *', { count: 1, aroundChanges: true })
    expect(all).toHaveLength(11)
    expect(all[6]).toBe('~ 2026-10-25T02:59:58+02:00 repeated hour, first pass')
    expect(all[8]).toBe('~ 2026-10-25T02:00:00+01:00 repeated hour, second pass')
  })

  test('adds nothing in a zone without changes, and no fire twice', () => {
    expect(preview('0 9 * * *', { tz: 'Asia/Tokyo', aroundChanges: true })).toHaveLength(2)
    const all = preview('0 9 * * *', { count: 300, aroundChanges: true })
    expect(all).toHaveLength(300)
    expect(new Set(all).size).toBe(300)
  })

  test('ends with the last supported year', () => {
    const late = { from: new Date('2199-12-30T12:00:00Z'), count: 9, aroundChanges: true }
    expect(preview('0 9 * * *', late)).toEqual(['2199-12-31T09:00:00+01:00'])
  })

  test('accepts only true or false', () => {
    expect(() => preview('0 9 * * *', { aroundChanges: 1 as never })).toThrow(
      expect.objectContaining({ code: 'invalid_option', field: 'aroundChanges' }),
    )
  })
})
