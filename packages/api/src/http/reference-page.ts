/**
 * The reference as an HTML page: every route with its parameters, body, answer and problems, from
 * the OpenAPI document. It is one page without scripts, so that it can be searched, printed, and
 * served under the strictest content security policy.
 */
import { createHash } from 'node:crypto'

interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
  readonly description?: string
}

interface Body {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses?: Readonly<Record<string, Body>>
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d7dbe0, #3a3f47); --soft: light-dark(#f4f6f8, #1d2126); --dim: light-dark(#5c6570, #9aa4b0); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
nav { columns: 3 14rem; font-size: 13px; } nav a { display: block; text-decoration: none; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
section { border: 1px solid var(--line); border-radius: 8px; padding: .5rem 1rem; margin: 1rem 0; }
h3 { font: 600 14px/1.6 ui-monospace, monospace; margin: .3rem 0; } .m { display: inline-block; min-width: 4.2rem; color: #0a66c2; }
table { border-collapse: collapse; width: 100%; font-size: 13px; } td { border-top: 1px solid var(--line); padding: .25rem .5rem; vertical-align: top; }
td:first-child { font-family: ui-monospace, monospace; white-space: nowrap; width: 14rem; } .d { color: var(--dim); }
code { background: var(--soft); padding: 0 .25rem; border-radius: 3px; } summary { cursor: pointer; color: var(--dim); }
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Allows the style sheet of this page and nothing else. */
export const referencePolicy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)
}

/** Escapes text, and marks text in backticks as code. */
function prose(text = ''): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function kindOf({ type, enum: values, items, anyOf }: Schema): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf) return anyOf.map(kindOf).join(' | ')
  if (type === 'array') return `${items ? kindOf(items) : 'anything'}[]`
  return type === undefined ? 'anything' : [type].flat().join(' | ')
}

function boundsOf({ minimum, maximum, maxLength, default: value }: Schema): string {
  const bounds = [
    minimum === undefined ? '' : `from ${minimum}`,
    maximum === undefined ? '' : `to ${maximum}`,
    maxLength === undefined ? '' : `up to ${maxLength} characters`,
    value === undefined ? '' : `default ${JSON.stringify(value)}`,
  ]
  return bounds.filter(Boolean).join(', ')
}

function row(name: string, schema: Schema, required: boolean, description?: string): string {
  const details = [boundsOf(schema), description ?? schema.description ?? ''].filter(Boolean)
  return `<tr><td>${escaped(name)}${required ? ' *' : ''}</td><td><span class="d">${escaped(kindOf(schema))}</span> ${prose(details.join('. '))}</td></tr>`
}

function rows(schema: Schema | undefined, prefix = ''): string {
  if (!schema) return ''
  if (schema.type === 'array' && schema.items) return rows(schema.items, `${prefix}[].`)
  return Object.entries(schema.properties ?? {})
    .map(([name, property]) => {
      const inner =
        property.properties || property.items?.properties ? rows(property, `${prefix}${name}.`) : ''
      return row(`${prefix}${name}`, property, schema.required?.includes(name) ?? false) + inner
    })
    .join('')
}

function table(title: string, content: string, open: boolean): string {
  if (content === '') return ''
  return `<details${open ? ' open' : ''}><summary>${title}</summary><table>${content}</table></details>`
}

function bodyRows(body: Body | undefined): string {
  const [media] = Object.entries(body?.content ?? {})
  if (!media) return ''
  const [type, { schema }] = media
  return rows(schema) || row(type, schema ?? {}, false)
}

function operation(path: string, method: string, details: Operation): string {
  const parameters = (details.parameters ?? [])
    .map((parameter) =>
      row(
        parameter.name,
        parameter.schema ?? {},
        parameter.required ?? false,
        parameter.description,
      ),
    )
    .join('')
  const answers = Object.entries(details.responses ?? {}).filter(([status]) => status !== 'default')
  return `<section id="${escaped(details.operationId ?? '')}"><h3><span class="m">${method.toUpperCase()}</span> ${escaped(path)}</h3>
<p>${prose(details.summary)}. <span class="d">${prose(details.description)}</span></p>
${table('Parameters', parameters, true)}${table('Body', bodyRows(details.requestBody), true)}
${answers.map(([status, body]) => table(`Answer ${status}`, bodyRows(body), false)).join('')}</section>`
}

export function referencePage({ info, paths = {} }: ApiDocument): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, details]) => ({ path, method, details })),
  )
  const tags = [...new Set(all.map(({ details }) => details.tags?.[0] ?? 'Other'))]
  const ofTag = (tag: string) => all.filter(({ details }) => (details.tags?.[0] ?? 'Other') === tag)
  const links = all
    .map(
      ({ path, method, details }) =>
        `<a href="#${escaped(details.operationId ?? '')}">${method.toUpperCase()} ${escaped(path)}</a>`,
    )
    .join('')
  const sections = tags
    .map(
      (tag) =>
        `<h2>${escaped(tag)}</h2>${ofTag(tag)
          .map((entry) => operation(entry.path, entry.method, entry.details))
          .join('\n')}`,
    )
    .join('\n')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(info.title)} ${escaped(info.version)}: HTTP API</title><style>${STYLE}</style></head><body>
<h1>${escaped(info.title)} <span class="d">${escaped(info.version)}</span></h1><p>${prose(info.description)} Machine-readable: <a href="/openapi.json">/openapi.json</a>. * is required.</p><nav>${links}</nav>
${sections}</body></html>`
}
