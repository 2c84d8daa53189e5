import { expect, test } from 'vitest'
import { recordedCall } from '../../test/executors/recorded-call.ts'
import { fillJson, fillText } from './template.ts'

const call = recordedCall({
  ...{ runId: 'run-1', attempt: 2, tenantId: 7, secrets: { KEY: 'shh' } },
  payload: { a: { b: [10, 'x'] }, empty: null, __proto__: null, list: [1, 2] },
  job: { id: 'job-1', slotAt: new Date('2026-02-03T04:05:06Z'), missed: null },
})
const text = async (template: string) => (await fillText('target.url', template, call))('9')
const json = async (template: unknown) => (await fillJson('target.body', template, call))('9')

test('a text is filled in with the payload, the facts of the attempt and secrets', async () => {
  expect(
    await text('{{payload.a.b.0}} {{ payload.a.b.1 }} {{run.id}} {{run.attempt}} {{run.slot}}'),
  ).toBe('10 x run-1 2 2026-02-03T04:05:06.000Z')
  expect(await text('{{run.due}} {{run.fence}} {{job.id}} {{tenant}} {{secret.KEY}}')).toBe(
    '2026-01-01T00:00:00.000Z 9 job-1 7 shh',
  )
  expect(await text('{{payload.list}}')).toBe('[1,2]')
  expect(await text('no placeholder, } or { alone')).toBe('no placeholder, } or { alone')
})

test('a value that stands alone in JSON keeps its type', async () => {
  expect(
    await json({ list: '{{payload.list}}', text: 'n={{payload.a.b.0}}', deep: [null, true] }),
  ).toEqual({
    ...{ list: [1, 2], text: 'n=10', deep: [null, true] },
  })
  expect(await json('{{payload}}')).toBe(call.payload)
  expect(await json('{{run.fence}}')).toBe('9')
})

test('what a value contains is not filled in again (case 124)', async () => {
  const nested = recordedCall({ payload: { a: '{{secret.KEY}}' }, secrets: { KEY: 'shh' } })
  expect((await fillText('t', '{{payload.a}}', nested))('9')).toBe('{{secret.KEY}}')
})

test('members of the name __proto__ change no prototype (case 118)', async () => {
  const body = JSON.parse('{"__proto__":{"polluted":"{{run.id}}"}}')
  expect(JSON.stringify(await json(body))).toBe('{"__proto__":{"polluted":"run-1"}}')
  expect({}).not.toHaveProperty('polluted')
})

test.each([
  '{{payload.missing}}',
  '{{payload.a.c}}',
  '{{payload.empty.x}}',
  '{{payload.a.constructor}}',
])('a payload field that is missing, as in %s, fails without a retry', async (template) => {
  await expect(text(template)).rejects.toMatchObject({ code: 'template_field_missing' })
})
