/**
 * Flow control of single runs: how many runs with the same key may run at the same time
 * (concurrency), and how many may start per unit of time (rate). A key is a string, or a field of
 * the payload given by its path.
 */
import { checkText, integer } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'
import { limits } from '../errors/limits.ts'

/** A string, or the path of a payload field with the key, such as `{ payload: 'customer.id' }`. */
export type FlowKey = string | { readonly payload: string }

/** How many runs with the same key may run at the same time. */
export interface ConcurrencyOptions {
  /** The key: runs with the same key share a limit, whichever their handlers are. */
  key: FlowKey
  /** How many of them may run at the same time, in the whole fleet, up to 10,000. @default 1 */
  limit?: number
}

/** How many runs with the same key may start per unit of time. */
export interface RateOptions {
  /** The key: runs with the same key share a rate. @default the name of the handler */
  key?: FlowKey
  /** How many of them may start per unit of time, in the whole fleet, up to 1,000,000. */
  limit: number
  /** A unit of time, or milliseconds, up to 30 days. @default 'second' */
  per?: keyof typeof UNITS | number
  /**
   * How many may start at the same time after a pause. @default a tenth of the limit, at least 1
   */
  burst?: number
}

/** The concurrency of one run. */
export interface RunConcurrency {
  /** The key of the shared limit. */
  readonly key: string
  /** How many runs with the key may run at the same time. */
  readonly limit: number
}

/** The rate of one run. */
export interface RunRate {
  /** The key of the shared rate. */
  readonly key: string
  /** How many runs with the key may start per `perMs`. */
  readonly limit: number
  /** The unit of time, in milliseconds. */
  readonly perMs: number
  /** How many may start at the same time after a pause. */
  readonly burst: number
}

export interface RunFlow {
  readonly concurrency: RunConcurrency | null
  readonly rate: RunRate | null
}

type Path = readonly string[]

/** Flow control before the payload, and so the key, is known. */
export interface CompiledFlow {
  readonly concurrency: (Omit<RunConcurrency, 'key'> & { readonly key: string | Path }) | null
  readonly rate: (Omit<RunRate, 'key'> & { readonly key: string | Path }) | null
}

const UNITS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** The units of time in which a rate is given. */
export const rateUnits = Object.keys(UNITS) as readonly (keyof typeof UNITS)[]

/** A rate whose key is null is that of the handler. */
export interface CheckedFlow {
  readonly concurrency?: NonNullable<CompiledFlow['concurrency']>
  readonly rate?: Omit<RunRate, 'key'> & { readonly key: string | Path | null }
}

export function compileFlow(
  handler: string,
  { concurrency, rate }: CheckedFlow,
): CompiledFlow | null {
  if (concurrency === undefined && rate === undefined) return null
  return {
    concurrency: concurrency ?? null,
    rate: rate === undefined ? null : { ...rate, key: rate.key ?? handler },
  }
}

export function checkConcurrency(
  field: string,
  given: unknown,
): NonNullable<CompiledFlow['concurrency']> {
  const example = '{ key: "customer:17", limit: 2 }'
  const { key, limit = 1 } = fieldsOf(field, given, ['key', 'limit'], example)
  return {
    key: keyFrom(`${field}.key`, key),
    limit: integer(`${field}.limit`, limit, 1, limits.concurrencyMax),
  }
}

const RATE_EXAMPLE = '{ limit: 500, per: "second" }'

export function checkRate(field: string, given: unknown): NonNullable<CheckedFlow['rate']> {
  const fields = fieldsOf(field, given, ['key', 'limit', 'per', 'burst'], RATE_EXAMPLE)
  const key = fields.key ?? null
  return { key: key === null ? null : keyFrom(`${field}.key`, key), ...rateIn(fields) }
}

/** Compiles the rate of a queue or tenant, which has no key. */
export function keylessRateFrom(given: unknown): Omit<RunRate, 'key'> {
  return rateIn(fieldsOf('rate', given, ['limit', 'per', 'burst'], RATE_EXAMPLE))
}

function rateIn(fields: Readonly<Record<string, unknown>>): Omit<RunRate, 'key'> {
  const limit = integer('rate.limit', fields.limit, 1, limits.rateMax)
  const { per = 'second', burst = Math.max(1, Math.floor(limit / 10)) } = fields
  return {
    limit,
    perMs: perMsOf(per),
    burst: integer('rate.burst', burst, 1, limits.rateMax),
  }
}

function perMsOf(per: unknown): number {
  if (typeof per === 'number') return integer('rate.per', per, 1, limits.ratePerMsMax)
  if (typeof per !== 'string' || !Object.hasOwn(UNITS, per))
    refuseOption('rate.per', `one of ${Object.keys(UNITS).join(', ')}, or milliseconds`, per)
  return UNITS[per as keyof typeof UNITS]
}

function fieldsOf(
  field: string,
  given: unknown,
  known: readonly string[],
  example: string,
): Readonly<Record<string, unknown>> {
  if (Object.prototype.toString.call(given) !== '[object Object]')
    refuseOption(field, `an object such as ${example}`, given)
  for (const name of Object.keys(given as object))
    if (!known.includes(name)) refuseOption(`${field}.${name}`, `one of ${known.join(', ')}`, name)
  return given as Record<string, unknown>
}

function keyFrom(field: string, key: unknown): string | Path {
  if (typeof key !== 'object' || key === null) return checkText(field, key, limits.keyLength)
  const { payload } = key as { payload?: unknown }
  return checkText(`${field}.payload`, payload, limits.keyLength).split('.')
}

/** Resolves the keys of a run with this payload. */
export function flowIn({ concurrency, rate }: CompiledFlow, payload: string): RunFlow {
  return {
    concurrency: concurrency && { ...concurrency, key: keyIn(concurrency.key, payload) },
    rate: rate && { ...rate, key: keyIn(rate.key, payload) },
  }
}

function keyIn(key: string | Path, payload: string): string {
  if (typeof key === 'string') return key
  const field = `payload.${key.join('.')}`
  const value = valueAt(key, JSON.parse(payload))
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new PunctualError(
      'invalid_payload',
      `${field} must hold a flow control key: a string, a number or a boolean; got ${shown(value)}.`,
      { field },
    )
  return checkText(field, String(value), limits.keyLength)
}

function valueAt(path: Path, payload: unknown): unknown {
  let value = payload
  for (const name of path) {
    // Properties from the JSON are enumerable; the length of an array is not.
    if (!isObject(value) || !Object.prototype.propertyIsEnumerable.call(value, name))
      return undefined
    value = value[name]
  }
  return value
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
