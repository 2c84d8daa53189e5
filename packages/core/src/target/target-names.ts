/**
 * Translates the names of a target's members, which the wire writes differently. What belongs to
 * the user (headers, bodies, environment variables) keeps its names.
 */
import type { OptionTable } from '../option/option.ts'
import { type Target, targetKinds } from './target.ts'

type Members = Readonly<Record<string, unknown>>

/** A target under the names of another interface: its kind, and its members. */
export type NamedTarget = Members & { readonly kind: string }

/** Returns the target with each member under the name that `rename` returns. */
export function renamedTarget(target: Target, rename: (name: string) => string): NamedTarget {
  const { kind, ...members } = target
  return { kind, ...toNames(targetKinds[kind].members, members, rename) }
}

function toNames(table: OptionTable, members: Members, rename: (name: string) => string): Members {
  const named: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(members)) {
    const form = table[name]?.kind.form
    const nested = form?.type === 'members' && isMembers(value)
    named[rename(name)] = nested ? toNames(form.members, value, rename) : value
  }
  return named
}

/**
 * Returns what `renamedTarget` was given. An unknown kind or member is returned unchanged, for the
 * check that refuses it.
 */
export function targetOfNames(target: unknown, rename: (name: string) => string): unknown {
  if (!isMembers(target)) return target
  const { kind, ...members } = target
  const known = typeof kind === 'string' && Object.hasOwn(targetKinds, kind)
  // The name is one of the table, which the line above has looked up.
  const table = known ? targetKinds[kind as Target['kind']].members : {}
  return { kind, ...fromNames(table, members, rename) }
}

function fromNames(
  table: OptionTable,
  members: Members,
  rename: (name: string) => string,
): Members {
  const names = new Map(Object.keys(table).map((name) => [rename(name), name]))
  const given: Record<string, unknown> = {}
  for (const [member, value] of Object.entries(members)) {
    const name = names.get(member) ?? member
    const form = table[name]?.kind.form
    const nested = form?.type === 'members' && isMembers(value)
    given[name] = nested ? fromNames(form.members, value, rename) : value
  }
  return given
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
