/**
 * Reads the header of a statement: its purpose, the names of its parameters, kinds of columns, and
 * the columns that are absent together.
 */

const RESERVED = new Set(
  'and break case class const default delete do else enum export for function if import in is new null of or package private return static super switch this throw to true try type var void while with yield'.split(
    ' ',
  ),
)
/** What ends the name of a parameter: a type, an explanation, the next one. */
const END_OF_NAME =
  /\s(?:bigint|integer|smallint|text|uuid|jsonb|boolean)?\[\]|[(),;:=.]| or null| and $|\sas /

export function readHeader(sql) {
  const header = sql.match(/^(?:--.*\n)+/)?.[0] ?? ''
  const lines = header.split('\n').map((line) => line.replace(/^-- ?/, ''))
  const section = (name) => {
    const from = lines.findIndex((line) => line.startsWith(`${name}:`))
    if (from < 0) return ''
    const rest = lines.slice(from + 1)
    const until = rest.findIndex((line) => !line.startsWith('  '))
    return [lines[from].slice(name.length + 1), ...rest.slice(0, until)].join(' ').trim()
  }
  return {
    purpose: lines.slice(0, lines.indexOf('')).join('\n'),
    parameters: parameterNames(section('Parameters')),
    types: columnTypes(section('Types')),
    optional: optionalPart(section('Optional')),
  }
}

function parameterNames(text) {
  const names = new Map()
  for (const [, position, rest] of text.matchAll(/\$(\d+)([^$]*)/g)) {
    const words = rest.split(END_OF_NAME)[0].match(/[A-Za-z][a-z0-9]*/g) ?? []
    const kept = words.filter((word) => !['the', 'a', 'an', 'whether'].includes(word)).slice(0, 4)
    const name = camelCase(kept.join('_').toLowerCase())
    if (name && !RESERVED.has(name)) names.set(Number(position), name)
  }
  return names
}

/** `found!, at text, error Failure` */
function columnTypes(text) {
  const types = new Map()
  for (const part of text.split(',').filter(Boolean)) {
    const match = part.trim().match(/^(\w+)(?: ([\w?[\]]+))?(!)?$/)
    if (!match) throw new Error(`Types: expected "<column> [kind][!]", got "${part.trim()}"`)
    const [, column, kind, required] = match
    types.set(column, { kind, required: required === '!' })
  }
  return types
}

/** `job from status`: the columns from this one on are one value, which is null when it is null. */
function optionalPart(text) {
  if (text === '') return null
  const match = text.match(/^(\w+) from (\w+)$/)
  if (!match) throw new Error(`Optional: expected "<name> from <column>", got "${text}"`)
  return { name: camelCase(match[1]), column: match[2] }
}

export function camelCase(name) {
  return name.replaceAll(/_+([a-z0-9])/g, (_, letter) => letter.toUpperCase())
}
