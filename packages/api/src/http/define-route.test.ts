import Type from 'typebox'
import { expect, test } from 'vitest'
import { answer } from '../wire/schemas.ts'
import { toWire } from '../wire/snake.ts'
import { defineRoute } from './define-route.ts'

const thing = answer({ id: Type.String(), due_at: Type.String(), note: Type.Optional(Type.Null()) })
const shared = { method: 'GET', path: '/things', scope: 'read', tag: 'Things' } as const
const route = { ...shared, summary: 'Returns a thing', answer: thing }
const at = new Date(0)

// The compiler does the work: an unused `@ts-expect-error` fails `npm run check:types`.
test('a handler whose answer does not match the schema of its route does not compile', () => {
  const fits = defineRoute({ ...route, handle: async () => toWire({ id: 'a', dueAt: at }) })
  expect(fits.answer).toBe(thing)
  // @ts-expect-error: a member is missing.
  defineRoute({ ...route, handle: async () => toWire({ id: 'a' }) })
  // @ts-expect-error: a Date is not its text.
  defineRoute({ ...route, handle: async () => ({ id: 'a', due_at: at }) })
  // @ts-expect-error: the names are those of the library.
  defineRoute({ ...route, handle: async () => ({ id: 'a', dueAt: at.toISOString() }) })
  // @ts-expect-error: null is not in the schema.
  defineRoute({ ...route, handle: async () => toWire({ id: null, dueAt: at }) })
  // @ts-expect-error: the optional member has another type.
  defineRoute({ ...route, handle: async () => toWire({ id: 'a', dueAt: at, note: 'b' }) })
  // @ts-expect-error: nothing is returned.
  defineRoute({ ...route, async handle() {} })
})
