/**
 * Texts in targets may have placeholders such as `{{payload.customer.id}}`. The syntax is checked
 * when a job or a run is created; the worker fills placeholders in when it performs the run.
 */
import { refuseOption } from '../check/refuse-option.ts'

/** The meaning of a placeholder. */
export type Placeholder =
  | { readonly kind: 'payload'; readonly path: readonly string[] }
  | { readonly kind: 'secret'; readonly name: string }
  | { readonly kind: 'fact'; readonly name: TemplateFact }

/** A literal text, or a placeholder. */
export type TemplatePart = string | Placeholder

/** The facts of an attempt that a text may name. */
export const templateFacts = [
  ...(['run.id', 'run.attempt', 'run.slot', 'run.due', 'run.fence'] as const),
  ...(['job.id', 'tenant'] as const),
] as const

export type TemplateFact = (typeof templateFacts)[number]

const PLACEHOLDER = /\{\{(.*?)\}\}/gs
/** A step of a path: no braces and no blanks. An array's elements are numbered from 0. */
const STEP = /^[^\s.{}]{1,128}$/
const SECRET_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/** Splits a text into its parts; refuses placeholders that nothing can fill in. */
export function parseTemplate(field: string, text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > end) parts.push(literal(field, text.slice(end, match.index)))
    parts.push(placeholderOf(field, match[1]?.trim() ?? ''))
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push(literal(field, text.slice(end)))
  return parts
}

/** Braces that open and never close are a typing error, not text. */
function literal(field: string, text: string): string {
  if (text.includes('{{')) refuseOption(field, 'a text in which each {{ has its }}', text)
  return text
}

function placeholderOf(field: string, name: string): Placeholder {
  const fact = templateFacts.find((known) => known === name)
  if (fact !== undefined) return { kind: 'fact', name: fact }
  if (name === 'payload') return { kind: 'payload', path: [] }
  const dot = name.indexOf('.')
  const [first, rest] = [name.slice(0, dot), name.slice(dot + 1)]
  if (dot > 0 && first === 'secret' && SECRET_NAME.test(rest)) return { kind: 'secret', name: rest }
  const path = rest.split('.')
  if (dot > 0 && first === 'payload' && path.every((step) => STEP.test(step)))
    return { kind: 'payload', path }
  return refuseOption(
    field,
    `a text whose placeholders are {{payload.…}}, {{secret.NAME}} or one of ${templateFacts.map((known) => `{{${known}}}`).join(', ')}`,
    `{{${name}}}`,
  )
}

/** The names of the secrets that a text mentions. */
export function secretsIn(parts: readonly TemplatePart[]): string[] {
  return parts.flatMap((part) =>
    typeof part !== 'string' && part.kind === 'secret' ? [part.name] : [],
  )
}
