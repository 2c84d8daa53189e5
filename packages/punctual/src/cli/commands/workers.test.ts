import { expect, test } from 'vitest'
import { namesIn } from './workers.ts'

test.for([
  ['{}', []],
  ['{send-email}', ['send-email']],
  ['{a,"with, comma","with \\"quotes\\" and \\\\"}', ['a', 'with, comma', 'with "quotes" and \\']],
] as const)('the array %s has its names', ([text, names]) => {
  expect(namesIn(text)).toEqual(names)
})
