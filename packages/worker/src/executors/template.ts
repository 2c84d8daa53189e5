/**
 * Fills in the placeholders of a target's texts: `{{payload.id}}`, `{{run.id}}`, `{{secret.KEY}}`.
 * Everything that can fail is done when a run is prepared; only the fence is filled in later.
 */
import { type Placeholder, parseTemplate, type TemplateFact } from '@punctual/core/target'
import type { Call } from './executor.ts'
import { PreparationError } from './failed.ts'

/** A text or value that is complete but for the fence. */
export type Filled<T> = (fence: string) => T

/** Turns a value that is filled in into text, for the place where it stands. */
export type Encode = (text: string) => string

const unchanged: Encode = (text) => text
const always =
  <T>(value: T): Filled<T> =>
  () =>
    value

/** Returns the text with every placeholder filled in and encoded. */
export async function fillText(
  field: string,
  text: string,
  call: Call,
  encode: Encode = unchanged,
): Promise<Filled<string>> {
  if (!text.includes('{{')) return always(text)
  const parts: Filled<string>[] = []
  for (const part of parseTemplate(field, text)) {
    if (typeof part === 'string') parts.push(always(part))
    else {
      const value = await fieldOf(field, part, call)
      parts.push((fence) => encode(asText(value(fence))))
    }
  }
  return (fence) => parts.map((part) => part(fence)).join('')
}

/** Fills in each string of a JSON value. A string that is one placeholder becomes its value. */
export async function fillJson(
  field: string,
  value: unknown,
  call: Call,
): Promise<Filled<unknown>> {
  if (typeof value === 'string') return fillJsonText(field, value, call)
  if (typeof value !== 'object' || value === null) return always(value)
  const members: [string, Filled<unknown>][] = []
  for (const [name, inner] of Object.entries(value))
    members.push([name, await fillJson(`${field}.${name}`, inner, call)])
  if (Array.isArray(value)) return (fence) => members.map(([, fill]) => fill(fence))
  // Unlike an assignment, this makes a member of the name __proto__ too.
  return (fence) => Object.fromEntries(members.map(([name, fill]) => [name, fill(fence)]))
}

async function fillJsonText(field: string, text: string, call: Call): Promise<Filled<unknown>> {
  if (!text.includes('{{')) return always(text)
  const parts = parseTemplate(field, text)
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return fieldOf(field, only, call)
  return fillText(field, text, call)
}

async function fieldOf(field: string, part: Placeholder, call: Call): Promise<Filled<unknown>> {
  if (part.kind === 'secret') return always(await call.secret(part.name))
  if (part.kind === 'payload') return always(payloadField(field, call.payload, part.path))
  const { name } = part
  return name === 'run.fence' ? (fence) => fence : always(factOf(name, call))
}

function factOf(name: Exclude<TemplateFact, 'run.fence'>, call: Call): string | number {
  const { runId, attempt, dueAt, job, tenantId } = call
  switch (name) {
    case 'run.id':
      return runId
    case 'run.attempt':
      return attempt
    case 'run.due':
      return dueAt.toISOString()
    // A run without a slot, such as a submitted one, stands for the instant at which it is due.
    case 'run.slot':
      return (job?.slotAt ?? dueAt).toISOString()
    case 'job.id':
      return job?.id ?? ''
    case 'tenant':
      return tenantId
  }
}

function payloadField(field: string, payload: unknown, path: readonly string[]): unknown {
  let value = payload
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      throw new PreparationError(
        'template_field_missing',
        `${field} needs the payload field ${path.join('.')}, which the payload of this run does not have.`,
      )
    value = Reflect.get(value, step)
  }
  return value
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
