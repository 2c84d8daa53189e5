import { describe, expect, test } from 'vitest'
import { compileBulkFilter, compileRunFilter, type RunFilter } from './run-filter.ts'

const ID = '019a0000-0000-7000-8000-000000000001'
const OTHER = '019a0000-0000-7000-8000-000000000000'

const refusal = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    const { code, field } = error as { code: string; field: string }
    return [code, field]
  }
  return null
}

describe('a filter', () => {
  test('without conditions is empty', () => {
    expect(compileRunFilter({})).toEqual({})
    expect(compileRunFilter({ states: [], labels: {}, due: {} })).toEqual({})
  })

  test('is checked and normalised', () => {
    expect(
      compileRunFilter({
        ...{ states: ['queued'], handler: 'h', queue: 'q', job: 'j', keyPrefix: 'k' },
        labels: { a: '1' },
        due: { from: new Date(1), to: 2 },
        created: { to: '1970-01-01T00:00:00.003Z' },
        ids: [ID.toUpperCase(), OTHER, ID],
      }),
    ).toEqual({
      ...{ states: ['queued'], handler: 'h', queue: 'q', job: 'j', keyPrefix: 'k' },
      ...{ labels: '{"a":"1"}', dueFromMs: 1, dueToMs: 2, createdToMs: 3, ids: [OTHER, ID] },
    })
  })

  test('with an empty list of ids matches no run, rather than all', () => {
    expect(compileRunFilter({ ids: [] })).toEqual({ ids: [] })
    expect(compileBulkFilter('cancel', { ids: [] }, false).ids).toEqual([])
  })

  test.for<[unknown, string]>([
    [null, 'filter'],
    ['queued', 'filter'],
    [{ stats: [] }, 'filter'],
    [{ states: 'queued' }, 'states'],
    [{ states: ['happy'] }, 'states'],
    [{ queue: '' }, 'queue'],
    [{ handler: 7 }, 'handler'],
    [{ job: '\u0000' }, 'job'],
    [{ labels: [] }, 'labels'],
    [{ keyPrefix: '' }, 'keyPrefix'],
    [{ due: 'today' }, 'due'],
    [{ due: { since: 1 } }, 'due'],
    [{ due: { from: 'soon' } }, 'due.from'],
    [{ created: { to: Number.NaN } }, 'created.to'],
    [{ ids: 'all' }, 'ids'],
    [{ ids: ['x'] }, 'ids'],
    [{ ids: Array.from({ length: 10_001 }, () => ID) }, 'ids'],
  ])('%j is refused', ([filter, field]) => {
    expect(refusal(() => compileRunFilter(filter as RunFilter))).toEqual(['invalid_option', field])
  })
})

describe('a filter of a bulk change', () => {
  test('without conditions needs all: true', () => {
    for (const filter of [{}, { states: [] }, { labels: {} }, { due: {} }])
      expect(refusal(() => compileBulkFilter('cancel', filter, false))).toEqual([
        ...['invalid_option', 'filter'],
      ])
    expect(compileBulkFilter('promote', {}, true)).toEqual({ states: ['scheduled'] })
  })

  test('with an undefined condition is refused', () => {
    const filter = { queue: undefined, handler: 'h' } as unknown as RunFilter
    expect(refusal(() => compileBulkFilter('cancel', filter, true))).toEqual([
      ...['invalid_option', 'queue'],
    ])
  })

  test.for([
    ['cancel', 'succeeded'],
    ['promote', 'queued'],
    ['reschedule', 'waiting'],
    ['reprioritise', 'running'],
  ] as const)('%s does not apply to runs that are %s', ([verb, state]) => {
    expect(refusal(() => compileBulkFilter(verb, { states: [state] }, false))).toEqual([
      ...['invalid_option', 'states'],
    ])
  })
})
