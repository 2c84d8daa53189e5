/**
 * The kinds of values that options have: the form of the value as data, and its check. A check
 * returns the value as it is used inside, or refuses it with a message that says what was expected.
 */
import { integer as checkInteger, checkName, checkText } from '../check/check-value.ts'
import { type Instant, instantOf } from '../check/instant.ts'
import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import type { CheckedOptions, Form, FormOf, Kind, OptionsOf, OptionTable } from './option.ts'

export function integer(min: number, max: number): Kind<number> {
  const check = (field: string, value: unknown) => checkInteger(field, value, min, max)
  return { form: { type: 'integer', min, max }, check }
}

/** An integer number of milliseconds; a flag takes a unit, as in `5m`. */
export function duration(min: number, max: number): Kind<number> {
  const check = (field: string, value: unknown) => checkInteger(field, value, min, max)
  return { form: { type: 'duration', min, max }, check }
}

export function text(max: number): Kind<string> {
  const check = (field: string, value: unknown) => checkText(field, value, max)
  return { form: { type: 'text', max }, check }
}

/** The name of a handler or queue. */
export const name: Kind<string> = {
  form: { type: 'text', max: limits.nameLength },
  check: checkName,
}

export function choice<const T extends string>(values: readonly T[]): Kind<T> {
  const check = (field: string, value: unknown) => oneOf(field, values, value)
  return { form: { type: 'choice', values }, check }
}

export const onOrOff: Kind<boolean> = {
  form: { type: 'switch' },
  check: (field, value) =>
    typeof value === 'boolean' ? value : refuseOption(field, 'true or false', value),
}

/** Checked to milliseconds since 1970. */
export const instant: Kind<Instant, number> = { form: { type: 'instant' }, check: instantOf }

/** A value that another option or the compiler interprets; it is checked there. */
export function unchecked<T>(form: Form): Kind<T> {
  // The compiler of the options checks the value before it uses it.
  return { form, check: (_, value) => value as T }
}

/** A kind whose check stands with the part of the domain that uses the value. */
export function checkedBy<Given, Checked>(
  form: Form,
  check: (field: string, value: unknown) => Checked,
): Kind<Given, Checked> {
  return { form, check }
}

/** `gap and fold`, or `policy, graceMs, maxAgeMs`. */
const listed = (names: readonly string[]) => names.join(names.length === 2 ? ' and ' : ', ')

/** An object whose members are options; with `shorthand` also the value of that member alone. */
export function members<const Table extends OptionTable>(
  table: Table,
): Kind<OptionsOf<Table>, CheckedOptions<Table>>
export function members<
  const Table extends OptionTable,
  const Name extends keyof Table & keyof OptionsOf<Table> & string,
>(
  table: Table,
  shorthand: Name,
): Kind<OptionsOf<Table> | NonNullable<OptionsOf<Table>[Name]>, CheckedOptions<Table>>
export function members(table: OptionTable, shorthand?: string): Kind<unknown, object> {
  const names = listed(Object.keys(table))
  const short = shorthand === undefined ? undefined : table[shorthand]
  const expected = short
    ? `${(short.kind.form as FormOf<'choice'>).values.join(' or ')}, or an object`
    : `an object with ${names}`
  const check = (field: string, value: unknown) => {
    if (shorthand !== undefined && short && typeof value === 'string')
      return { [shorthand]: short.kind.check(field, value) }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return refuseOption(field, expected, value)
    const checked: Record<string, unknown> = {}
    for (const [member, given] of Object.entries(value)) {
      if (!Object.hasOwn(table, member)) refuseOption(field, `an object with ${names} only`, member)
      if (given !== undefined)
        checked[member] = table[member]?.kind.check(`${field}.${member}`, given)
    }
    return checked
  }
  return { form: { type: 'members', members: table, ...(shorthand && { shorthand }) }, check }
}
