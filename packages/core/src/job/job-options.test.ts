import { expect, expectTypeOf, test } from 'vitest'
import type { OptionsOf } from '../option/option.ts'
import { type JobOptions, jobOptions } from './job-options.ts'

/** The same members in one object type. */
type Flat<T> = { [Name in keyof T]: T[Name] }

test('the interface that callers see has exactly the options of the table', () => {
  expectTypeOf<Flat<OptionsOf<typeof jobOptions>>>().toEqualTypeOf<Flat<JobOptions>>()
})

test('every row has a help text without a period that starts in lower case or is a name', () => {
  for (const { help } of Object.values(jobOptions)) {
    expect(help).toMatch(/^[a-z0-9]/)
    expect(help).not.toMatch(/\.$/)
  }
})
