/** The quota of payload bytes, for payloads that come after the submission. */
import type { Quotas } from '@punctual/core/identity'
import { compileOptions } from '@punctual/core/submit'
import { systemRandomToken, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

let made = 0
async function aTenant(quotas: Quotas): Promise<number> {
  const anonymous = { note: null, by: null }
  return (await t.store.tenants.create(`tenant-${++made}`, anonymous, quotas)).id
}

const run = () => ({ options: compileOptions('test'), payload: '1' })

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: { code: string }) => error,
  )

describe('the quota of payload bytes holds for payloads that come after the submission', () => {
  const within = '"12345678"'
  const beyond = '"123456789"'
  const refused = (field: string) => ({
    code: 'quota_exceeded',
    field,
    quota: { name: 'payloadBytes', limit: 10, used: 11 },
  })

  it('an edit of a run with a larger payload is refused, and leaves the run unchanged', async () => {
    const tenantId = await aTenant({ payloadBytes: 10 })
    const [accepted] = await t.store.submit([run()], { tenantId })
    const id = accepted?.id as string
    const edit = (payload: string) => outcome(t.store.steering.edit([id], payload, tenantId))
    expect(await edit(beyond)).toMatchObject(refused('payload'))
    expect(await t.store.runs.find(id, tenantId)).toMatchObject({ payload: 1 })
    expect(await edit(within)).toBeNull()
  })

  it('a replay with a larger payload is refused', async () => {
    const tenantId = await aTenant({ payloadBytes: 10 })
    const options = { note: null, by: null, fromCheckpoint: false }
    const replay = (payload: string | null) =>
      outcome(
        t.store.deadLetterSteering.replay(
          [{ id: systemRandomToken(), payload }],
          options,
          tenantId,
          null,
        ),
      )
    expect(await replay(beyond)).toMatchObject(refused('payload'))
  })

  it('a group with a larger payload for its callback is refused', async () => {
    const tenantId = await aTenant({ payloadBytes: 10 })
    const make = (payload: string) => {
      const call = JSON.stringify({ handler: 'test', options: {} })
      const group = { name: null, submissions: [run()], callback: { call, payload }, open: false }
      return outcome(t.store.groups.make(group, tenantId, {}))
    }
    expect(await make(beyond)).toMatchObject(refused('onDone.payload'))
    expect(await make(within)).toBeNull()
  })
})
