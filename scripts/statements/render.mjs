/** Renders the statements of a room as TypeScript: a function and a type of rows for each. */
import { columnKinds, kindOfType, kinds, parameterType } from './kinds.mjs'
import { camelCase } from './read-header.mjs'

const CELLS = '../sql/cells.ts'

/** `statements` are those of one room: path, header, text, parameters and columns. */
export function renderRoom(statements) {
  const body = statements.map(renderStatement)
  const types = [...new Set(body.flatMap(({ types }) => types)), 'Call', 'TypedStatement'].sort()
  const domain = namesByModule(body.flatMap(({ domain }) => domain))
  const decoders = namesByModule(body.flatMap(({ decoders }) => decoders))
  return [
    '// Written by `npm run statements` from the statements in queries. Edit a statement instead.',
    ...domain.map(([from, names]) => `import type { ${names} } from '${from}'`),
    ...decoders.map(([from, names]) => `import { ${names} } from '${from}'`),
    `import type { ${types.join(', ')} } from '../sql/typed.ts'`,
    '',
    body.map(({ text }) => text).join('\n'),
  ].join('\n')
}

/** The names to import from each module, both in order. */
function namesByModule(imports) {
  const modules = new Map()
  for (const { name, from } of imports)
    modules.set(from, new Set([...(modules.get(from) ?? []), name]))
  return [...modules].sort().map(([from, names]) => [from, [...names].sort().join(', ')])
}

function renderStatement({ path, header, text, parameters, columns }) {
  const name = camelCase(path.split('/').at(-1).replaceAll('-', '_'))
  const rowType = `${name[0].toUpperCase()}${name.slice(1)}Row`
  const constant = name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
  const cells = columns.map((column, index) => cellOf(path, header, text, column, index))
  checkNames(path, cells, header)
  const labels = labelsOf(parameters, header)
  const signature = parameters.map((type, i) => `${labels[i]}: ${parameterType(type)}`).join(', ')
  const row = cells.length > 0 ? rowType : 'null'
  const { interfaces, decode } = rowOf(path, header, rowType, cells)
  return {
    decoders: cells.flatMap(({ decoders }) => decoders),
    types: parameters.map((type) => parameterType(type).replace(/<.*/, '')),
    domain: cells.flatMap(({ kind }) => (kind.from ? [kind] : [])),
    text: `${interfaces}const ${constant}: TypedStatement<${row}> = {
  path: '${path}',
  daily: ${/\/\* day -?\d+ \*\//.test(text)},
  columns: [${columns.map((column) => `'${column.name}'`).join(', ')}],
  ${decode}
}

/** ${header.purpose.replaceAll('\n', '\n * ').replaceAll('*/', '*\\/')} */
export function ${name}(${signature}): Call<${row}> {
  return { statement: ${constant}, values: [${labels.join(', ')}] }
}
`,
  }
}

/** The type of the rows and their decoder; an optional part of the row has a separate type. */
function rowOf(path, { optional }, rowType, cells) {
  if (cells.length === 0) return { interfaces: '', decode: 'decode: () => null,' }
  const at = optional ? cells.findIndex(({ column }) => column === optional.column) : cells.length
  if (at < 0) throw new Error(`${path}: the optional column "${optional.column}" is not returned`)
  const own = cells.slice(0, at)
  const part = cells.slice(at)
  const fields = [...own]
  const decoded = own.map(({ field, code }) => `    ${field}: ${code},\n`)
  let partInterface = ''
  if (optional) {
    const partType = `${rowType.slice(0, -3)}${optional.name[0].toUpperCase()}${optional.name.slice(1)}`
    partInterface = interfaceOf(partType, part)
    fields.push({ field: optional.name, type: `${partType} | null` })
    const values = part.map(({ field, code }) => `            ${field}: ${code},\n`).join('')
    decoded.push(
      `    ${optional.name}:\n      row[${at}] === null\n        ? null\n        : {\n${values}          },\n`,
    )
  }
  return {
    interfaces: partInterface + interfaceOf(rowType, fields),
    decode: `decode: (row) => ({\n${decoded.join('')}  }),`,
  }
}

function interfaceOf(name, cells) {
  const fields = cells.map(({ field, type }) => `  readonly ${field}: ${type}\n`)
  return `export interface ${name} {\n${fields.join('')}}\n\n`
}

function cellOf(path, header, text, column, index) {
  const named = header.types.get(column.name)
  const kindName = named?.kind ?? columnKinds[column.origin] ?? kindOfType(column)
  const kind = kinds[kindName]
  if (!kind) throw new Error(`${path}: ${kindName} is not a kind of scripts/statements/kinds.mjs`)
  const required = named?.required || (column.required && !mayBeMissing(column.origin, text))
  const decoded = required
    ? `${kind.decoder}(row[${index}])`
    : `orNull(${kind.decoder}, row[${index}])`
  return {
    column: column.name,
    field: camelCase(column.name),
    kind,
    decoders: [
      { name: kind.decoder, from: kind.module ?? CELLS },
      ...(required ? [] : [{ name: 'orNull', from: CELLS }]),
    ],
    type: required || kind.type === 'unknown' ? kind.type : `${kind.type} | null`,
    code: kind.asserted ? `${decoded} as ${required ? kind.type : `${kind.type} | null`}` : decoded,
  }
}

/** A row of a table on the far side of an outer join may be missing. */
function mayBeMissing(origin, text) {
  const [table] = origin.split('.')
  if (/\b(right|full)( outer)? join\b/.test(text)) return true
  return new RegExp(`\\bleft( outer)? join (lateral )?(punctual\\.${table}\\b|\\()`).test(text)
}

function checkNames(path, cells, header) {
  const fields = cells.map(({ field }) => field)
  const unnamed = fields.find(
    (field, i) => !/^[a-z]\w*$/.test(field) || fields.indexOf(field) !== i,
  )
  if (unnamed !== undefined)
    throw new Error(`${path}: name each column once with "as", got "${unnamed}"`)
  for (const column of header.types.keys())
    if (!fields.includes(camelCase(column)))
      throw new Error(`${path}: the header gives a type to "${column}", which is not returned`)
}

/** A parameter without a name in the header is called by its position. */
function labelsOf(parameters, header) {
  const labels = []
  parameters.forEach((_, i) => {
    const name = header.parameters.get(i + 1) ?? `p${i + 1}`
    labels.push(labels.includes(name) ? `${name}${i + 1}` : name)
  })
  return labels
}
