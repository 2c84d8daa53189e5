/** Payloads with a schema: refused at submission, and never passed to a handler. */
import { gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { type } from 'arktype'
import { type PayloadSchema, Punctual } from 'punctual'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'

let database: TestDatabase
let punctual: Punctual
/** Another process, which does not know the handlers and can submit any payload. */
let stranger: Punctual
beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({ databaseUrl: database.url })
  stranger = await Punctual.start({ databaseUrl: database.url, roles: [] })
})
afterAll(async () => {
  await stranger.stop()
  await punctual.stop()
  await database.drop()
})

const mail = z.object({
  to: z.email(),
  copies: z.array(z.object({ to: z.string() })).default([]),
  at: z.string().transform((text) => new Date(text)),
})

it("the handler gets the schema's output, and the submitted payload is stored", async () => {
  const seen = gate<unknown>()
  const handler = punctual.handler('made', { schema: mail }, (payload) => seen.open(payload))
  const submitted = { to: 'a@b.example', at: '2030-01-01T00:00:00Z' }
  const { id } = await handler.submit(submitted)
  expect(await seen.opened).toEqual({ to: submitted.to, copies: [], at: new Date(submitted.at) })
  expect((await punctual.runs.waitFor(id)).payload).toEqual(submitted)
})

it('a refused payload is reported with its paths, and nothing is submitted', async () => {
  const handler = punctual.handler('told', { schema: mail }, () => 1)
  const bad = { to: 'nobody', copies: [{ to: 'c' }, { to: 5 }], at: '2030-01-01' }
  const refusal = {
    code: 'invalid_payload',
    field: 'payload.to',
    message: expect.stringMatching(/payload\.to: .*; payload\.copies\[1\]\.to: /),
  }
  await expect(handler.submit(bad as never)).rejects.toMatchObject(refusal)
  await expect(punctual.submit('told', bad)).rejects.toMatchObject(refusal)
  const good = { to: 'a@b.example', at: '2030-01-01' }
  await expect(handler.submitMany([good, bad as never])).rejects.toMatchObject({
    ...{ code: 'invalid_payload', field: '[1].payload.to' },
    message: expect.stringContaining('Item 1: '),
  })
  expect(await punctual.runs.list({ handler: 'told' })).toEqual([])
})

it('an invalid payload from another process is dead at once, and its handler is not called', async () => {
  let called = false
  punctual.handler('kept', { schema: mail }, () => {
    called = true
  })
  const { id } = await stranger.submit('kept', { to: 5 })
  const run = await punctual.runs.waitFor(id)
  expect(run).toMatchObject({ state: 'dead', attempts: [{ outcome: 'failed' }] })
  expect(run.error?.message).toMatch(/payload\.to: /)
  expect(called).toBe(false)
})

it.for([
  ['zod', z.object({ to: z.string() })],
  ['valibot', v.object({ to: v.string() })],
  ['arktype', type({ to: 'string' })],
  ['typebox', Compile(Type.Object({ to: Type.String() }))],
] as const)('schemas of %s are understood', async ([name, schema]) => {
  const handler = punctual.handler(`of-${name}`, { schema }, ({ to }) => to)
  const ended = await punctual.runs.waitFor(await handler.submit({ to: name }))
  expect(ended).toMatchObject({ output: name })
  await expect(handler.submit({ to: 5 } as never)).rejects.toMatchObject({ field: 'payload.to' })
})

it('a TypeBox type decodes the payload, and an error names its paths', async () => {
  const day = Type.Codec(Type.String())
    .Decode((text) => new Date(text))
    .Encode((date) => date.toISOString())
  const items = Type.Array(Type.Object({ 'a/b': Type.Integer(), on: day }))
  const order = Type.Object({ items, note: Type.Optional(Type.String()) })
  const handler = punctual.handler('decoded', { schema: Compile(order) }, (payload) => {
    const [first] = payload.items
    return { year: first?.on.getUTCFullYear(), note: payload.note }
  })
  const item = { 'a/b': 1, on: '2030-01-01' }
  const ended = await punctual.runs.waitFor(await handler.submit({ items: [item], note: 'n' }))
  expect(ended).toMatchObject({ output: { year: 2030, note: 'n' } })
  const bad = { items: [item, { 'a/b': 'one', on: 5 }] } as never
  await expect(handler.submit(bad)).rejects.toMatchObject({
    ...{ code: 'invalid_payload', field: 'payload.items[1].a/b' },
    message: expect.stringContaining('payload.items[1].on: must be string'),
  })
})

it('an error of a TypeBox codec is reported unchanged', async () => {
  const date = Type.Codec(Type.String())
    .Decode((text) => new Date(text).toISOString())
    .Encode((text) => text)
  const handler = punctual.handler('thrown', { schema: Compile(date) }, () => 1)
  await expect(handler.submit('never')).rejects.toThrow(RangeError)
})

it('a schema may be asynchronous', async () => {
  const even: PayloadSchema<number, { half: number }> = {
    '~standard': {
      ...{ version: 1, vendor: 'test' },
      validate: async (value) =>
        Number(value) % 2 === 0
          ? { value: { half: Number(value) / 2 } }
          : { issues: [{ message: 'It is odd.' }] },
    },
  }
  const handler = punctual.handler('later', { schema: even }, ({ half }) => half)
  expect(await punctual.runs.waitFor(await handler.submit(8))).toMatchObject({ output: 4 })
  await expect(handler.submit(7)).rejects.toMatchObject({
    ...{ code: 'invalid_payload', field: 'payload' },
    message: expect.stringContaining('payload: It is odd.'),
  })
})

it.for([
  ...[[{}], [null], ['zod'], [() => true], [{ '~standard': { version: 2 } }]],
  // A schema that is not compiled.
  [Type.Object({ to: Type.String() })],
])('an invalid schema is refused: %j', ([schema]) => {
  expect(() => punctual.handler('none', { schema: schema as never }, () => 1)).toThrow(
    expect.objectContaining({ code: 'invalid_option', field: 'schema' }),
  )
})

it('the handler function may precede or follow its options', async () => {
  const before = punctual.handler('before', () => 'before', { onLeaseLoss: 'abort' })
  const behind = punctual.handler('behind', { onLeaseLoss: 'abort' }, () => 'behind')
  for (const { name, submit } of [before, behind])
    expect(await punctual.runs.waitFor(await submit(null))).toMatchObject({ output: name })
})
