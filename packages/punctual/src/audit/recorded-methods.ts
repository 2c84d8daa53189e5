/**
 * Wraps recording around the methods of a facade that change something. A table next to the facade
 * says how each method is recorded; a test holds the tables equal to the methods, so that a new one
 * cannot be forgotten.
 */
import type { PostgresStore, Queryable } from '@punctual/store'
import type { ControlWrites, ManyWrites, Written } from './control-writes.ts'

/** The chain of the recorded writes, and the store to read the state before them. */
export interface WriteScope {
  readonly store: PostgresStore
  /** Null for the installation's chain. */
  readonly tenantId: number | null
}

type Method = (...args: never[]) => Promise<unknown>

/**
 * Performs the write and returns what it changed; it may read before and after, in the same
 * transaction.
 */
type RecordOne<M extends Method> = (
  scope: WriteScope,
  args: Parameters<M>,
  work: () => Promise<Awaited<ReturnType<M>>>,
) => Promise<Written<Awaited<ReturnType<M>>>>

/** Describes a write of many transactions; null when it changes nothing, as a dry run does. */
type RecordMany<M extends Method> = (
  args: Parameters<M>,
) => ManyWrites<Awaited<ReturnType<M>>> | null

export interface RecordedMethod<M extends Method> {
  readonly one?: RecordOne<M>
  readonly many?: RecordMany<M>
  /** The transaction that the caller passed. */
  readonly tx?: (args: Parameters<M>) => Queryable | undefined
}

/** How each method that changes something is recorded. */
export type WritesOf<Facade> = {
  readonly [Name in keyof Facade]?: Facade[Name] extends Method
    ? RecordedMethod<Facade[Name]>
    : never
}

export function recordMethods<Facade extends object>(
  facade: Facade,
  table: WritesOf<Facade>,
  writes: ControlWrites,
  scope: WriteScope,
): void {
  const named = facade as Record<string, Method>
  for (const [name, how] of Object.entries(table) as [string, RecordedMethod<Method>][]) {
    const plain = (named[name] as Method).bind(facade)
    const value = async (...args: never[]) => {
      const work = () => plain(...args)
      return writes.recording ? work() : record(how, args, work, writes, scope)
    }
    Object.defineProperty(facade, name, { value, configurable: true })
  }
}

function record(
  { one, many, tx }: RecordedMethod<Method>,
  args: never[],
  work: () => Promise<unknown>,
  writes: ControlWrites,
  scope: WriteScope,
): Promise<unknown> {
  if (one) return writes.record(scope.tenantId, () => one(scope, args, work), tx?.(args))
  const writing = many?.(args) ?? null
  return writing === null ? work() : writes.recordMany(scope.tenantId, writing, work)
}
