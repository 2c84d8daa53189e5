/**
 * Members of groups end in any way and order, while several processes check the groups
 * concurrently: each group is done once and is followed by one callback run, never before its last
 * member has ended. A trigger checks this inside the transactions that advance a group, so that no
 * early one is missed.
 */
import { encodeJson } from '@punctual/core/check'
import type { ClaimedRun } from '@punctual/core/ports'
import { compileOptions, makeSubmission, type Submission } from '@punctual/core/submit'
import type { PostgresStore } from '@punctual/store'
import { dead, retry, succeeded, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

const CHECKERS = 3
const GATED = { concurrency: { key: 'gate', limit: 2 } }

let t: TestStore
let checkers: PostgresStore[]
beforeAll(async () => {
  t = await TestStore.open()
  checkers = Array.from({ length: CHECKERS }, () => t.another())
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
  // Ids carry the due time, so that members added later may have smaller ids.
  const options = { delayMs: (n % 4) * 5, ...(gated && GATED) }
  return makeSubmission(compileOptions('test', options), encodeJson({ fate }))
}

/** Makes a group, adds its members from different processes in turn, and closes it. */
async function make(plan: GroupPlan): Promise<string> {
  const group = { name: null, callback: CALLBACK, open: true }
  const { id } = await t.store.groups.make(
    { ...group, submissions: plan.first.map(submission) },
    1,
    {},
  )
  for (const [i, fates] of plan.added.entries()) {
    const store = checkers[i % CHECKERS] as PostgresStore
    await store.groups.add(id, fates.map(submission), 1, {})
  }
  await t.store.groups.close(id, 1, {})
  return id
}

/** Settles an attempt by the member's fate; after any detours each member ends. */
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

/** Claims and settles until no member is left, and reaps its own sessions with their leases. */
async function work(making: Promise<unknown>): Promise<void> {
  let allMade = false
  void making.then(() => {
    allMade = true
  })
  for (let idle = 0; !allMade || idle < 3; ) {
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

async function checkGroups(store: PostgresStore, until: () => boolean): Promise<number> {
  let done = 0
  while (!until()) done += (await store.groups.look()).done
  // A last pass, after all members have ended.
  return done + (await store.groups.look()).done
}

it('each group is followed by one callback run, after its last member has ended', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aGroup, { minLength: 1, maxLength: 4 }), async (plans) => {
      await t.sql.query(`truncate punctual.runs, punctual.outcomes, punctual.groups`)
      let ended = false
      const checking = checkers.map((store) => checkGroups(store, () => ended))
      const making = Promise.all(plans.map(make))
      await work(making).finally(() => {
        ended = true
      })
      const ids = await making
      const done = (await Promise.all(checking)).reduce((sum, n) => sum + n, 0)
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
  const count = (fate: Fate) => members.filter((planned) => planned === fate).length
  const [dead, cancelled] = [count('die'), count('cancel')]
  const total = members.length
  const result = { total, dead, cancelled, succeeded: total - dead - cancelled }
  const row = rows.find(({ call }) => (call.group as { id: string }).id === id)
  expect(row?.call).toMatchObject({ group: { ...result, unknown: 0, skipped: 0 }, payload: 'all' })
  const group = await t.store.groups.reader.find(id, 1)
  expect(group).toMatchObject({ total, ended: total, done: true, callbackRunId: row?.id })
  expect(group?.counts).toMatchObject({ dead, cancelled, removed: 0 })
}
