/** The kinds of values that only targets have. Their texts may have placeholders. */
import { checkText } from '../check/check-value.ts'
import { encodeJson } from '../check/json-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { shown } from '../errors/failure.ts'
import { limits } from '../errors/limits.ts'
import { checkedBy } from '../option/kinds.ts'
import type { Kind } from '../option/option.ts'
import { parseTemplate } from './template.ts'

/** A text of one line. */
export function template(max: number): Kind<string> {
  return checkedBy({ type: 'text', max }, (field, value) => {
    const text = checkText(field, value, max)
    parseTemplate(field, text)
    return text
  })
}

/** A text of any number of lines. */
export function checkTemplate(field: string, value: unknown, max: number): string {
  const text = checkLiteral(field, value, max)
  parseTemplate(field, text)
  return text
}

/** A text of any number of lines, in which braces have no meaning. */
export function checkLiteral(field: string, value: unknown, max: number): string {
  if (typeof value !== 'string' || value.length > max)
    return refuseOption(field, `a string of at most ${max} characters`, value)
  if (value.includes('\u0000') || !value.isWellFormed())
    refuseOption(field, 'free of NUL characters and unpaired surrogates', value)
  return value
}

/** An object of texts; `isName` says which names it takes, and `expected` that in words. */
export function templates(
  isName: (name: string) => boolean,
  expected: string,
): Kind<Readonly<Record<string, string>>> {
  const [max, length] = [limits.targetEntries, limits.targetTextLength]
  return checkedBy({ type: 'texts', max, length }, (field, value) => {
    if (Object.prototype.toString.call(value) !== '[object Object]')
      refuseOption(field, 'an object of strings', value)
    const entries = Object.entries(value as object)
    if (entries.length > max)
      refuseOption(field, `an object of at most ${max} members`, entries.length)
    for (const [name, text] of entries) {
      if (!isName(name)) refuseOption(`${field} key ${shown(name)}`, expected, name)
      checkTemplate(`${field}.${name}`, text, length)
    }
    return value as Readonly<Record<string, string>>
  })
}

/** A list of names, such as those of secrets. */
export function names(max: number, meaning: string): Kind<readonly string[]> {
  return checkedBy({ of: meaning, type: 'list', max }, (field, value) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > max)
      return refuseOption(field, `a list of 1 to ${max} ${meaning}`, value)
    return value.map((name: unknown, i) => checkText(`${field}[${i}]`, name, limits.nameLength))
  })
}

/** Any JSON value; the strings in it may have placeholders. */
export const jsonTemplate: Kind<unknown> = checkedBy({ type: 'json' }, (field, value) => {
  encodeJson(value, field, limits.targetBytes)
  checkStrings(field, value)
  return value
})

/** The check of the JSON has bounded the depth. */
function checkStrings(field: string, value: unknown): void {
  if (typeof value === 'string') parseTemplate(field, value)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) checkStrings(`${field}.${name}`, inner)
}

const STATUS = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/

/** Status codes and ranges, such as `200-299,404`. */
export const statuses: Kind<string> = checkedBy({ type: 'text', max: 256 }, (field, value) => {
  const text = checkText(field, value, 256)
  if (!statusRanges(text)) refuseOption(field, 'status codes and ranges such as 200-299,404', value)
  return text
})

/** The ranges of a list of statuses; null when it cannot be parsed. */
export function statusRanges(text: string): readonly (readonly [number, number])[] | null {
  const ranges: [number, number][] = []
  for (const range of text.split(',')) {
    const [, first, last = first] = STATUS.exec(range.trim()) ?? []
    if (first === undefined || Number(last) < Number(first)) return null
    ranges.push([Number(first), Number(last)])
  }
  return ranges
}
