/**
 * Flow control of single runs: how many runs of a key may go on at once. A key is a text, or is taken from the payload
 * by the path of a field.
 */
import { checkText, integer } from './check-value.ts'
import { PunctualError } from './errors.ts'
import { shown } from './failure.ts'
import { limits } from './limits.ts'
import { refuseOption } from './refuse-option.ts'

export interface ConcurrencyOptions {
  /** Runs of one key share a limit, whatever their handlers: a text, or the field of the payload that holds it. */
  key: string | { readonly payload: string }
  /** How many of them may go on at once, in the whole fleet. @default 1 */
  limit?: number
}

/** The concurrency of some runs: their key, or where in the payload it stands. */
export interface CompiledConcurrency {
  readonly key: string | null
  readonly path: readonly string[] | null
  readonly limit: number
}

/** The concurrency of one run. */
export interface RunConcurrency {
  readonly key: string
  readonly limit: number
}

const KNOWN = ['key', 'limit']

export function compileConcurrency(options: unknown): CompiledConcurrency | null {
  if (options === undefined) return null
  if (Object.prototype.toString.call(options) !== '[object Object]')
    refuseOption('concurrency', 'an object such as { key: "customer:17", limit: 2 }', options)
  for (const name of Object.keys(options as object))
    if (!KNOWN.includes(name))
      refuseOption(`concurrency.${name}`, `one of ${KNOWN.join(', ')}`, name)
  const { key, limit = 1 } = options as ConcurrencyOptions
  const most = integer('concurrency.limit', limit, 1, limits.concurrencyMax)
  if (typeof key === 'object' && key !== null) {
    const path = checkText('concurrency.key.payload', key.payload, limits.keyLength).split('.')
    return { key: null, path, limit: most }
  }
  return { key: checkText('concurrency.key', key, limits.keyLength), path: null, limit: most }
}

/** With the key of a run that has this payload. */
export function concurrencyOf(of: CompiledConcurrency, payload: string): RunConcurrency {
  if (of.key !== null) return { key: of.key, limit: of.limit }
  const path = of.path as readonly string[]
  const value = valueAt(path, JSON.parse(payload))
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new PunctualError(
      'invalid_payload',
      `The concurrency key is to be found at ${path.join('.')} in the payload: a text, a number or a boolean is expected there, but ${shown(value)} came.`,
      { field: `payload.${path.join('.')}` },
    )
  return {
    key: checkText(`payload.${path.join('.')}`, String(value), limits.keyLength),
    limit: of.limit,
  }
}

function valueAt(path: readonly string[], payload: unknown): unknown {
  let value = payload
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
