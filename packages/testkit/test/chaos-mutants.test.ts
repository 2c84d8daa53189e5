import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editedText } from '../src/chaos/mutants/apply-mutant.ts'
import { mutantsOf } from '../src/chaos/mutants/mutants.ts'

const mutants = [...mutantsOf(null), ...mutantsOf('hostile-tenant')]

describe.for(mutants)('the mutant $name', (mutant) => {
  it.for(mutant.edits)('still finds the text that it replaces in $file', (edit) => {
    const text = readFileSync(new URL(`../../${edit.file}`, import.meta.url), 'utf8')
    expect(editedText(mutant, edit, text)).not.toBe(text)
  })
})

it('mutants have unique names', () => {
  const names = mutants.map((mutant) => mutant.name)
  expect(names).toEqual([...new Set(names)])
})
