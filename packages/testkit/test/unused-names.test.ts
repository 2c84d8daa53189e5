/**
 * Every name in the reference pages is real: an unused default, limit or code is a false promise.
 */
import { defaults, errorCatalogue, limits } from '@punctual/core/errors'
import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './tidy/source-files.ts'

/** The product's code, without the files that only list the names. */
const code = sourceFiles()
  .filter((path) => /^packages\/(?!testkit)\w+\/src\/.+(?<!\.test)\.ts$/.test(path))
  .filter((path) => !/core\/src\/(?:limits|errors)\.ts$/.test(path))
  .map(readSource)
  .join('\n')

test('every default and every limit is used', () => {
  const named = new Set(
    Array.from(code.matchAll(/\b(?:defaults|limits)\.(\w+)/g), ([, name]) => name),
  )
  const known = Object.keys({ ...defaults, ...limits })
  expect(known.filter((name) => !named.has(name))).toEqual([])
})

test('every error code is thrown somewhere', () => {
  expect(Object.keys(errorCatalogue).filter((name) => !code.includes(`'${name}'`))).toEqual([])
})
