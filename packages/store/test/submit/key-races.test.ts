/** Concurrent submissions of one key, with workers running, and retries after a lost answer. */
import { compileOptions, type SubmitOptions } from '@punctual/core/submit'
import { succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ClientPool } from '../../src/connection/client-pool.ts'
import { systemRandom } from '../../src/connection/system-ports.ts'
import { KeyedSubmitter } from '../../src/submit/keyed-submitter.ts'
import { Submitter } from '../../src/submit/submitter.ts'
import { ParkedRuns } from '../../src/work/parked-runs.ts'
import { KeyKit } from '../kit/key-kit.ts'

let t: TestStore
let kit: KeyKit
beforeAll(async () => {
  t = await TestStore.open()
  kit = new KeyKit(t)
})
afterAll(() => t.close())

const modes = {
  return: {},
  replace: { onConflict: 'replace' },
  debounce: { onConflict: 'debounce', window: '10m' },
  throttle: { onConflict: 'throttle', window: '10m' },
  error: { onConflict: 'error' },
} as const satisfies Record<string, SubmitOptions>
const names = Object.keys(modes) as (keyof typeof modes)[]

describe('fifty concurrent submissions of one key from two processes', () => {
  it.each(names)(
    'fifty concurrent submissions of one key with onConflict %s create one run',
    async (mode) => {
      const key = kit.key()
      const stores = [t.store, t.another()]
      const all = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) => kit.submit({ key, ...modes[mode] }, n, stores[n % 2])),
      )
      const answers = all.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      const refused = all.flatMap((result) =>
        result.status === 'rejected' ? [result.reason.code] : [],
      )
      const [id] = new Set(answers.map((answer) => answer.id))
      const outcomes = answers.map(({ outcome }) => outcome).sort()
      const others = mode === 'replace' || mode === 'debounce' ? 'replaced' : 'existing'
      const count = mode === 'error' ? 0 : 49
      expect(outcomes).toEqual(['created', ...Array.from({ length: count }, () => others)])
      expect(refused).toEqual(Array.from({ length: 49 - count }, () => 'key_conflict'))
      expect(new Set(answers.map((answer) => answer.id))).toEqual(new Set([await kit.holder(key)]))
      expect(await kit.broken()).toEqual([])
      // Either the first payload stays, or one of the last replaces it: the order of commits is
      // unknown.
      const payload = await kit.payload(id as string)
      const creator = all.findIndex(
        (result) => result.status === 'fulfilled' && result.value.created,
      )
      if (others === 'existing') expect(payload).toBe(creator)
      await kit.submit({ key, ...modes[mode] }, 'last').catch(() => undefined)
      expect(await kit.payload(id as string)).toBe(others === 'replaced' ? 'last' : payload)
    },
  )
})

it('each key is held by one live run during concurrent submits, claims, settles and cancels', async () => {
  const keys = [kit.key(), kit.key(), kit.key()]
  const stores = [t.store, t.another()]
  const ran = new Map<string, unknown[]>(keys.map((key) => [key, []]))
  const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)] as T
  let submitting = true
  const submitter = async (n: number) => {
    for (let i = 0; i < 30; i++) {
      const how = { ...pick([modes.return, modes.replace, modes.throttle]), key: pick(keys) }
      const debounce = { key: how.key, onConflict: 'debounce', window: 1 } as const
      const options = Math.random() < 0.3 ? debounce : how
      const { id } = await kit.submit(options, { key: how.key, i }, stores[n % 2])
      if (Math.random() < 0.1) await t.store.steering.cancel([id], 'test')
    }
  }
  const worker = async (n: number) => {
    const session = await t.session()
    for (let idle = 0; submitting || idle < 3; ) {
      const { runs } = await t.claim(session, 2, stores[n % 2])
      idle = runs.length > 0 ? 0 : idle + 1
      for (const run of runs) {
        const { key } = JSON.parse(run.payload as string)
        ran.get(key)?.push(run.payload)
      }
      await t.store.work.settle(
        session,
        runs.map((run) => succeeded(run)),
      )
    }
  }
  const watcher = async () => {
    while (submitting) expect(await kit.broken()).toEqual([])
  }
  const workers = [worker(0), worker(1), watcher()]
  await Promise.all([0, 1, 2, 3].map(submitter)).finally(() => {
    submitting = false
  })
  await Promise.all(workers)
  expect(await kit.broken()).toEqual([])
  for (const key of keys) {
    const { id } = await kit.submit({ key, onConflict: 'replace' }, { key, last: true })
    expect(await kit.payload(id)).toEqual({ key, last: true })
  }
  await worker(0)
  for (const key of keys) {
    const last = JSON.stringify({ key, last: true })
    expect(ran.get(key)?.filter((payload) => payload === last)).toEqual([last])
    expect(await kit.holder(key)).toBeNull()
  }
}, 60_000)

it('throttling creates one run in a window, also when the run ends at once', async () => {
  const how = { key: kit.key(), onConflict: 'throttle', window: '10m' } as const
  const session = await t.session()
  const stores = [t.store, t.another()]
  const ending = async () => {
    for (let i = 0; i < 5; i++) {
      const { runs } = await t.claim(session, 1_000)
      await t.store.work.settle(
        session,
        runs.map((run) => succeeded(run)),
      )
    }
  }
  const submitting = Array.from({ length: 40 }, (_, n) => kit.submit(how, n, stores[n % 2]))
  const [answers] = await Promise.all([Promise.all(submitting), ending()])
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  expect(answers.filter(({ created }) => created).length).toBe(1)
})

it('a run that is debounced repeatedly starts when maxWait is over', async () => {
  const options = { key: kit.key(), onConflict: 'debounce', window: 400, maxWait: 1_000 } as const
  const { id } = await kit.submit(options, 0)
  const session = await t.session()
  let submitted = 0
  // waits: submissions repeat faster than the window allows a start, until the run has started.
  await expect
    .poll(
      async () => {
        await kit.submit(options, ++submitted)
        return (await t.claim(session, 100)).runs.map((run) => run.id)
      },
      { timeout: 30_000, interval: 20 },
    )
    .toContain(id)
  expect(submitted).toBeGreaterThan(1)
  expect(await kit.holder(options.key), 'the next run waits').not.toBeNull()
})

describe('resending a submission whose answer was lost', () => {
  const prepared = async (options: SubmitOptions, payload: string) => {
    const { database, lanes, signals } = t.store
    const ensurePartitions = async () => undefined
    const submitter = new Submitter({
      parked: new ParkedRuns(database, signals),
      ...{ database, lanes, signals, random: systemRandom, ensurePartitions },
    })
    const clientPool = new ClientPool(database)
    onTestFinished(() => clientPool.close())
    const keyed = new KeyedSubmitter({ database, clientPool, submitter, signals })
    const runs = await submitter.prepare([{ options: compileOptions('test', options), payload }], 1)
    return async (isRetry: boolean) =>
      (await keyed.submit(runs, { tenantId: 1, again: isRetry, transaction: null }))[0]
  }
  const end = async () => {
    const session = await t.session()
    const { runs } = await t.claim(session, 1_000)
    await t.store.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    )
  }

  it.each(names)(
    'resending a keyed submission with onConflict %s after its run ended has no effect',
    async (mode) => {
      const key = kit.key()
      const how: SubmitOptions = modes[mode]
      const send = await prepared({ ...how, key }, '1')
      const first = await send(false)
      await end()
      if (mode === 'debounce') await t.store.steering.cancel([first?.id as string], 'test')
      const before = await t.count('runs')
      expect(await send(true)).toEqual(first)
      expect(await t.count('runs')).toBe(before)
      expect(await kit.holder(key)).toBeNull()
    },
  )

  it('resending a submission that replaced a run, since started, has no effect', async () => {
    const key = kit.key()
    const { id } = await kit.submit({ key }, 'old')
    const send = await prepared({ key, onConflict: 'replace' }, '"new"')
    const first = await send(false)
    expect(first).toMatchObject({ id, outcome: 'replaced' })
    const session = await t.session()
    await t.claim(session, 1_000)
    const before = await t.count('runs')
    expect(await send(true)).toEqual(first)
    expect(await t.count('runs')).toBe(before)
  })

  it('resending a submission does not return the key that another run took over', async () => {
    const key = kit.key()
    const send = await prepared({ key, onConflict: 'replace' }, '"old"')
    const first = await send(false)
    await t.claim(await t.session(), 1_000)
    const next = await kit.submit({ key, onConflict: 'replace' }, 'new')
    expect(await send(true)).toEqual(first)
    expect(await kit.holder(key)).toBe(next.id)
    expect(await kit.payload(next.id)).toBe('new')
  })
})
