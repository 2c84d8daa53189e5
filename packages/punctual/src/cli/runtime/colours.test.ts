import { expect, test } from 'vitest'
import { colorsFor } from './colours.ts'

test.for([
  ['a terminal', { isTTY: true }, {}, true],
  ['a pipe', {}, {}, false],
  ['a terminal with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
  ['a terminal with an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
  ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
  ['a pipe with FORCE_COLOR', {}, { FORCE_COLOR: '1' }, false],
] as const)('%s', ([, stream, env, coloured]) => {
  expect(colorsFor(stream, env).red('x') !== 'x').toBe(coloured)
})
