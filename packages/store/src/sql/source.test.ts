import { expect, it } from 'vitest'
import { withConstants } from './constants.ts'
import { readStatement } from './source.ts'

it('a part replaces the line that includes it, without its header, with its indentation', () => {
  const text = readStatement('groups/list-members')
  expect(text).toContain('m.run_id, m.place,\n  coalesce(\n    (select case')
  expect(text).toContain("'removed')\n  as state")
  expect(text).not.toContain('include')
  expect(text).not.toContain('Expects')
})

it('no statement is left with a directive or a named constant', () => {
  for (const path of ['work/settle-dead', 'runs/page-runs', 'upkeep/reap-sessions'])
    expect(readStatement(path)).not.toMatch(/-- include|(?<!:):[a-z]+\.[a-z]/)
})

it('names of constants become the numbers of core; casts stay', () => {
  expect(withConstants('$1::uuid, traits & :traits.overlap = :overlap.queue_one')).toBe(
    '$1::uuid, traits & 112 = 32',
  )
  expect(withConstants('pos >> :pos.shift, :states.unknown, :outcomes.timed_out')).toBe(
    'pos >> 20, 5, 3',
  )
  expect(withConstants('traits & ~(:traits.at_most_once | :traits.expires)')).toBe(
    'traits & ~(2 | 512)',
  )
})

it('an unknown constant is refused by its name', () => {
  expect(() => withConstants('select :traits.blue')).toThrow(
    ':traits.blue is not a constant of sql/constants.ts',
  )
})
