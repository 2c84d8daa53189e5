/** Answers that are objects of the library, unchanged but for the names of the wire. */
import type { Static, TSchema } from 'typebox'
import { toWire } from './snake.ts'

/** The value on the wire, typed as its schema. */
export function wireOf<T extends TSchema>(_: T, value: unknown): Static<T> {
  return toWire(value) as Static<T>
}
