/** The client's types match the API. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, expectTypeOf, test } from 'vitest'
import type { AnswerOf, BodyOf, Client, InputOf, Job } from '../src/index.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

test('api.gen.ts matches the OpenAPI document: npm run client:types', async () => {
  const script = ['scripts/client-types/main.mjs', '--check']
  const flags = ['--conditions=@punctual/source', '--import', 'tsx']
  const { stderr } = await promisify(execFile)(process.execPath, [...flags, ...script], {
    cwd: root,
  })
  expect(stderr).toBe('')
})

test('calls have the input and answer types of their routes', () => {
  expectTypeOf<Job['status']>().toExtend<string>()
  expectTypeOf<AnswerOf<'POST /runs'>['outcome']>().toEqualTypeOf<
    'created' | 'existing' | 'replaced'
  >()
  expectTypeOf<BodyOf<'POST /runs'>['handler']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<InputOf<'GET /jobs'>>().toHaveProperty('query')
  expectTypeOf<{ params: { id: string } }>().toExtend<InputOf<'GET /jobs/{id}'>>()
  // @ts-expect-error: the operation does not exist
  expectTypeOf<AnswerOf<'GET /nothing'>>()
  // @ts-expect-error: a run has no member of this name
  const wrong: Parameters<Client['runs']['submit']>[0] = { handlers: 'a' }
  expect(wrong).toBeDefined()
})
