import { expect, test } from 'vitest'
import {
  booleanArray,
  int2Array,
  int4Array,
  int8ArrayOfNumbers,
  jsonbArray,
  textArray,
  uuidArray,
} from '../connection/binary-arrays.ts'
import { valuesAsText } from './array-text.ts'

const ID = '0192f0c1-2b3c-7def-8123-456789abcdef'

test('every array that a submission sends has a text form', () => {
  const arrays = [
    int2Array([-1, 7]),
    int4Array([-1, 70_000]),
    int8ArrayOfNumbers([1_900_000_000_123, null]),
    uuidArray([ID]),
    textArray(['a "b" \\ {c}', 'NULL', '', null]),
    jsonbArray(['{"é":"🙂"}', null]),
    textArray([]),
  ]
  expect(valuesAsText(arrays)).toEqual([
    '{"-1","7"}',
    '{"-1","70000"}',
    '{"1900000000123",NULL}',
    `{"${ID.replaceAll('-', '')}"}`,
    '{"a \\"b\\" \\\\ {c}","NULL","",NULL}',
    '{"{\\"é\\":\\"🙂\\"}",NULL}',
    '{}',
  ])
})

test('lists become arrays, and single values are unchanged', () => {
  expect(valuesAsText([['a', 'b"'], [1, 2], 3, 'x', null])).toEqual([
    '{"a","b\\""}',
    '{"1","2"}',
    3,
    'x',
    null,
  ])
})

test('an array that no submission sends is an error', () => {
  expect(() => valuesAsText([booleanArray([true])])).toThrow('no text form')
})
