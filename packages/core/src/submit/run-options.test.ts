import { expect, expectTypeOf, test } from 'vitest'
import type { OptionsOf } from '../option/option.ts'
import { runOptions, type SubmitOptions } from './run-options.ts'

/** The same members in one object type. */
type Flat<T> = { [Name in keyof T]: T[Name] }

test('the interface that callers see has exactly the options of the table', () => {
  expectTypeOf<Flat<OptionsOf<typeof runOptions>>>().toEqualTypeOf<Flat<SubmitOptions>>()
})

test('every row has a help text that starts in lower case or with a number or a name', () => {
  for (const { help } of Object.values(runOptions)) {
    expect(help).toMatch(/^(?:[a-z0-9]|W3C)/)
    expect(help).not.toMatch(/\.$/)
  }
})
