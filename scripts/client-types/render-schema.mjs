/** A JSON schema of the API as a TypeScript type, for packages/client/src/http/api.gen.ts. */

const NAME = /^[A-Za-z_$][\w$]*$/
const PLAIN = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean' }

/** A description as a comment of one line. */
export function comment(indent, text) {
  if (!text) return ''
  return `${indent}/** ${text.replaceAll('*/', '* /').replace(/\s+/g, ' ').trim()} */\n`
}

export function renderSchema(schema, indent = '') {
  if (schema === undefined || schema === true) return 'unknown'
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return union(choices.map((choice) => renderSchema(choice, indent)))
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const types = [schema.type].flat()
  return union(types.map((type) => renderType(type, schema, indent)))
}

function union(types) {
  const all = [...new Set(types)]
  return all.includes('unknown') ? 'unknown' : all.join(' | ')
}

function renderType(type, schema, indent) {
  if (type === 'null') return 'null'
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  if (type === 'array') {
    const item = renderSchema(schema.items, indent)
    return /[ |]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
  }
  if (type === 'object') return renderObject(schema, indent)
  return PLAIN[type] ?? 'unknown'
}

function renderObject(schema, indent) {
  const { properties, patternProperties, additionalProperties } = schema
  const others = Object.values(patternProperties ?? {})[0] ?? additionalProperties
  if (properties === undefined)
    return typeof others === 'object'
      ? `Record<string, ${renderSchema(others, indent)}>`
      : 'Record<string, unknown>'
  const deeper = `${indent}  `
  const members = Object.entries(properties).map(([name, property]) => {
    const required = schema.required?.includes(name)
    return member(deeper, name, renderSchema(property, deeper), required, property.description)
  })
  if (additionalProperties === true) members.push(`${deeper}[name: string]: unknown\n`)
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}${indent}}`
}

/** An optional member may also be undefined: JSON and addresses omit it. */
export function member(indent, name, type, required, description) {
  const key = NAME.test(name) ? name : JSON.stringify(name)
  const missing = type === 'unknown' ? '' : ' | undefined'
  const rest = required ? `: ${type}` : `?: ${type}${missing}`
  return `${comment(indent, description)}${indent}${key}${rest}\n`
}
