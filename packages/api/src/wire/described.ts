/** Answers that are objects of the library as they are, with the names of the wire. */
import type { Static, TSchema } from 'typebox'
import { toWire } from './snake.ts'

/** The value on the wire, as the schema describes it. */
export function wireOf<T extends TSchema>(_: T, value: unknown): Static<T> {
  return toWire(value) as Static<T>
}
