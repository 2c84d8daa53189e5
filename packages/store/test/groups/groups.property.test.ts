/**
 * Whatever becomes of the members of groups, in whatever order, while several processes look at once: each group is done
 * once, is followed by one run, and by none before its last member has ended. A trigger asks for that in the very
 * transactions that say how far a group has come, so that nothing too early goes unseen.
 */
import { encodeJson } from '@punctual/core/check'
import type { ClaimedRun } from '@punctual/core/ports'
import { compileOptions, makeSubmission, type Submission } from '@punctual/core/submit'
import type { PostgresStore } from '@punctual/store'
import { dead, retry, succeeded, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

const LOOKERS = 3
const GATED = { concurrency: { key: 'gate', limit: 2 } }

let t: TestStore
let lookers: PostgresStore[]
beforeAll(async () => {
  t = await TestStore.open()
  lookers = Array.from({ length: LOOKERS }, () => t.another())
  await t.sql.query(`
    create function punctual.check_passed() returns trigger language plpgsql as $$
    begin
      if exists (
        select from punctual.group_members m
        where m.group_id = new.id and m.place < case when new.done_at is null then new.passed else new.total end
          and not exists (select from punctual.outcomes o where o.run_id = m.run_id))
      then raise exception 'group % is too early', new.id;
      end if;
      return new;
    end $$;
    create trigger check_passed before update on punctual.groups
      for each row execute function punctual.check_passed()`)
})
afterAll(() => t.close())
const fates = ['succeed', 'die', 'retry', 'give back', 'crash', 'cancel', 'gated'] as const
type Fate = (typeof fates)[number]
const member = fc.constantFrom<Fate>(...fates)
const aGroup = fc.record({
  first: fc.array(member, { maxLength: 6 }),
  added: fc.array(fc.array(member, { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
})
type GroupPlan = typeof aGroup extends fc.Arbitrary<infer T> ? T : never

const CALLBACK = { call: '{"handler":"done","options":{}}', payload: '"all"' }

function submission(fate: Fate, n: number): Submission {
  const gated = fate === 'gated' || n % 3 === 0
  // Ids carry the due time, so that those that are added later may have smaller ones.
  const options = { delayMs: (n % 4) * 5, ...(gated && GATED) }
  return makeSubmission(compileOptions('test', options), encodeJson({ fate }))
}

/** Members as they are added, and the closing, from two processes by turns. */
async function make(plan: GroupPlan): Promise<string> {
  const group = { name: null, callback: CALLBACK, open: true }
  const { id } = await t.store.groups.make({ ...group, submissions: plan.first.map(submission) }, 1)
  for (const [i, fates] of plan.added.entries()) {
    const store = lookers[i % LOOKERS] as PostgresStore
    await store.groups.add(id, fates.map(submission), 1)
  }
  await t.store.groups.close(id, 1)
  return id
}

/** What the members come to: each ends in the end, whatever happens to it before. */
async function settle(run: ClaimedRun, session: string): Promise<void> {
  const { work } = t.store
  const { fate } = JSON.parse(run.payload) as { fate: Fate }
  const first = run.attempt === 0
  if (fate === 'die') await work.settle(session, [dead(run)])
  else if (fate === 'retry' && run.attempt < 3) await work.settle(session, [retry(run, 1)])
  else if (fate === 'give back' && Math.random() < 0.6) await work.giveBack([run])
  else if (fate === 'crash' && first) return
  else if (fate === 'cancel' && first) {
    await work.giveBack([run])
    await t.store.steering.cancelWaiting([run.id], 'not needed')
  } else await work.settle(session, [succeeded(run)])
}

/** Claims and settles until nothing is left, and reaps its own sessions with what they hold. */
async function work(making: Promise<unknown>): Promise<void> {
  let made = false
  void making.then(() => {
    made = true
  })
  for (let idle = 0; !made || idle < 3; ) {
    const session = await t.session()
    const { runs } = await t.claim(session, 5)
    await Promise.all(runs.map((run) => settle(run, session)))
    await t.expire(session)
    await t.reap([session])
    await t.store.upkeep.resolveParked(0)
    const { rows } = await t.sql.query(
      `select 1 from punctual.runs r where r.payload like '{"fate"%'
       and not exists (select from punctual.outcomes o where o.run_id = r.id) limit 1`,
    )
    idle = rows.length === 0 ? idle + 1 : 0
  }
}

async function look(store: PostgresStore, until: () => boolean): Promise<number> {
  let done = 0
  while (!until()) done += (await store.groups.look()).done
  // Whoever is last leaves nothing behind.
  return done + (await store.groups.look()).done
}

it('each group is followed by one run, and not before its last member has ended', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aGroup, { minLength: 1, maxLength: 4 }), async (plans) => {
      await t.sql.query(`truncate punctual.runs, punctual.outcomes, punctual.groups`)
      let ended = false
      const looking = lookers.map((store) => look(store, () => ended))
      const making = Promise.all(plans.map(make))
      await work(making).finally(() => {
        ended = true
      })
      const ids = await making
      const done = (await Promise.all(looking)).reduce((sum, n) => sum + n, 0)
      expect(done).toBe(ids.length)
      const { rows } = await t.sql.query(
        `select r.id, r.payload::jsonb as call from punctual.runs r join punctual.lanes l on l.id = r.lane
         where l.handler = 'done'`,
      )
      expect(rows.map(({ call }) => call.group.id).sort()).toEqual([...ids].sort())
      for (const [i, id] of ids.entries()) await expectAsPlanned(plans[i] as GroupPlan, id, rows)
    }),
    { numRuns: 5 },
  )
})

async function expectAsPlanned(
  plan: GroupPlan,
  id: string,
  rows: readonly { id: string; call: { group: object } }[],
): Promise<void> {
  const members = [...plan.first, ...plan.added.flat()]
  const count = (fate: Fate) => members.filter((it) => it === fate).length
  const [dead, cancelled] = [count('die'), count('cancel')]
  const total = members.length
  const result = { total, dead, cancelled, succeeded: total - dead - cancelled }
  const row = rows.find(({ call }) => (call.group as { id: string }).id === id)
  expect(row?.call).toMatchObject({ group: { ...result, unknown: 0, skipped: 0 }, payload: 'all' })
  const group = await t.store.groups.reader.find(id, 1)
  expect(group).toMatchObject({ total, ended: total, done: true, callbackRunId: row?.id })
  expect(group?.counts).toMatchObject({ dead, cancelled, removed: 0 })
}
