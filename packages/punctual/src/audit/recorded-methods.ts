/**
 * Puts recording around the methods of a facade that change something. What is recorded, and how, is a table beside it: a
 * test holds the tables equal to the methods there are, so that a new one cannot be forgotten.
 */
import type { PostgresStore, Queryable } from '@punctual/store'
import type { ControlWrites, ManyWrites, Written } from './control-writes.ts'

/** Whose writes are recorded, and where to look at what there was before. */
export interface WriteScope {
  readonly store: PostgresStore
  /** Null for what belongs to the installation. */
  readonly tenantId: number | null
}

type Method = (...args: never[]) => Promise<unknown>

/** Does the write and tells what it changed; it may look before and after, in the same transaction. */
type RecordOne<M extends Method> = (
  scope: WriteScope,
  args: Parameters<M>,
  work: () => Promise<Awaited<ReturnType<M>>>,
) => Promise<Written<Awaited<ReturnType<M>>>>

/** What a write of many transactions is; null when it changes nothing, as a dry run. */
type RecordMany<M extends Method> = (
  args: Parameters<M>,
) => ManyWrites<Awaited<ReturnType<M>>> | null

export interface RecordedMethod<M extends Method> {
  readonly one?: RecordOne<M>
  readonly many?: RecordMany<M>
  /** The transaction that the caller gave. */
  readonly tx?: (args: Parameters<M>) => Queryable | undefined
}

/** For each method that changes something, how it is recorded. */
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
  const asked = many?.(args) ?? null
  return asked === null ? work() : writes.recordMany(scope.tenantId, asked, work)
}
