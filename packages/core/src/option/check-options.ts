/** Checks the options of a call against their table. */
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'
import type { CheckedOptions, Option, OptionTable } from './option.ts'

const NONE: object = Object.freeze({})

/**
 * Checks each given option alone. Unknown options are refused, so that a typing error does not go
 * unnoticed. Undefined means not given.
 */
export function checkOptions<Table extends OptionTable>(
  table: Table,
  owner: string,
  options: object,
): CheckedOptions<Table> {
  let checked: Record<string, unknown> | undefined
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(table, name)) refuseUnknown(table, owner, name)
    const value = (options as Readonly<Record<string, unknown>>)[name]
    if (value === undefined) continue
    checked ??= {}
    checked[name] = (table[name] as Option).kind.check(name, value)
  }
  // The rows have checked the values.
  return (checked ?? NONE) as CheckedOptions<Table>
}

/** Returns those of the named options that were given; undefined when none was. */
export function givenOf<Table extends OptionTable>(
  names: readonly (keyof Table)[],
  checked: CheckedOptions<Table>,
): Partial<CheckedOptions<Table>> | undefined {
  let found: { [Name in keyof Table]?: unknown } | undefined
  for (const name of names)
    if (checked[name] !== undefined) {
      found ??= {}
      found[name] = checked[name]
    }
  // The entries are those of the checked options.
  return found as Partial<CheckedOptions<Table>> | undefined
}

function refuseUnknown(table: OptionTable, owner: string, name: string): never {
  throw new PunctualError(
    'invalid_option',
    `${shown(name)} is not an option of ${owner}. Known: ${Object.keys(table).join(', ')}.`,
    { field: name.slice(0, 80) },
  )
}
