/**
 * Each of the fifteen invariants can fail: a violation planted by hand, in a transaction that is
 * rolled back, is reported under its name. A small consistent world violates none of them.
 */
import { traits } from '@punctual/core/run'
import { compileOptions } from '@punctual/core/submit'
import {
  checkInvariants,
  dead,
  type Invariant,
  installWitness,
  invariants,
  retry,
  succeeded,
  TestStore,
} from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { planAll, plannerOf } from '../kit/planning-kit.ts'

let t: TestStore
/** Ids of the world's runs and jobs, by what they are. */
const named = new Map<string, string>()

beforeAll(async () => {
  t = await TestStore.open()
  await installWitness(t.sql)
  const session = await t.session(600_000)
  const settleWith = async (name: string, settlementOf: typeof succeeded | typeof dead) => {
    const run = await t.running(session)
    named.set(name, run.id)
    await t.store.work.settle(session, [settlementOf(run)])
  }
  await settleWith('done', succeeded)
  await settleWith('dead', dead)
  const failing = await t.running(session)
  await t.store.work.settle(session, [retry(failing, 30_000)])
  named.set('failing', failing.id)
  named.set('running', (await t.running(session)).id)
  named.set('keyed', await t.submit({ key: 'k', delayMs: 30_000 }))
  const options = compileOptions('test', { delayMs: 30_000 })
  const once = { options: { ...options, traits: traits.atMostOnce }, payload: '1' }
  named.set('once', (await t.store.submit([once]))[0]?.id as string)
  named.set('job', await t.job({ name: 'paced', every: '4s' }))
  named.set('after', await t.job({ name: 'after', everyAfterEnd: '1h' }))
  await planAll(plannerOf({ store: t.store, alone: true }))
  named.set('session', session)
})
afterAll(() => t.close())
beforeEach(() => t.sql.query('begin'))
afterEach(() => t.sql.query('rollback'))

/** `:name` stands for an id. */
const plant = (sql: string) =>
  t.sql.query(sql.replaceAll(/(?<!:):(\w+)/g, (_, name: string) => `'${named.get(name) ?? name}'`))

/** Deletes the lease, as when its outcome is accepted, and does nothing else. */
const END_RUNNING = 'delete from punctual.leases where run_id = :running'
const accept = (fence: string) =>
  `insert into punctual.outcomes (run_id, fence, session_id, started_at, finished_at, tenant_id, lane, state, attempt,
     crashes, attempt_outcome)
   select run_id, ${fence}, session_id, now(), now(), tenant_id, lane, 1, 1, 0, 1
   from witness.leases join punctual.runs on id = run_id where run_id = :running`
const lease = (run: string, fence: number) =>
  `insert into punctual.leases (run_id, fence, session_id, claimed_at, tenant_id, lane, attempt, crashes, traits)
   select id, ${fence}, :session, now(), tenant_id, lane, 0, 0, traits from punctual.runs where id = :${run};
   update punctual.leases set started_at = now() where run_id = :${run};
   delete from punctual.leases where run_id = :${run}`

const planted: [Invariant, string, string][] = [
  [
    'I1',
    'a range of slots that covers decided slots',
    `update punctual.slots set from_at = slot_at - interval '5 s'
     where job_id = :job and slot_at = (select max(slot_at) from punctual.slots where job_id = :job)`,
  ],
  [
    'I1',
    'a second run of a slot',
    `insert into punctual.runs (id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, job_id, slot_at)
     select (left(id::text, 34) || 'ff')::uuid, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, job_id, slot_at
     from punctual.runs where job_id = :job limit 1`,
  ],
  [
    'I2',
    'two accepted outcomes',
    `${END_RUNNING}; ${accept('fence')}; delete from punctual.outcomes where run_id = :running; ${accept('fence')}`,
  ],
  [
    'I2',
    'a final attempt that is also recorded as an earlier attempt',
    `insert into punctual.attempts (run_id, fence, session_id, ended_at, tenant_id, attempt, outcome)
     select run_id, fence, session_id, now(), tenant_id, 1, 2 from punctual.outcomes where run_id = :done`,
  ],
  ['I3', 'an outcome of another fence', `${END_RUNNING}; ${accept('fence + 1')}`],
  ['I3', 'an outcome while the lease stays', accept('fence')],
  [
    'I4',
    'an attempt without a record',
    'update punctual.queue set attempt = 1 where run_id = :keyed',
  ],
  ['I4', 'a deleted attempt', 'delete from punctual.attempts where run_id = :failing'],
  ['I4', 'a fence that is used twice', `${lease('keyed', 77)}; ${lease('keyed', 77)}`],
  [
    'I5',
    'a changed final state',
    'update punctual.outcomes set state = 3, reason = :why where run_id = :done',
  ],
  ['I5', 'a deleted outcome', 'delete from punctual.outcomes where run_id = :done'],
  ['I5', 'a lease of an ended run', lease('done', 78)],
  [
    'I6',
    'a slot without a decision',
    `delete from punctual.slots where job_id = :job and slot_at = (
       select slot_at from punctual.slots where job_id = :job order by slot_at offset 1 limit 1)`,
  ],
  [
    'I6',
    'a decision beyond the cursor',
    `update punctual.cursors set cursor_at = now() where job_id = :job`,
  ],
  [
    'I6',
    'a cursor that moves back',
    `update punctual.cursors set cursor_at = now() - interval '1 h' where job_id = :after`,
  ],
  [
    'I6',
    'a decision with the run of another slot',
    `update punctual.slots set run_id = :done where job_id = :job`,
  ],
  [
    'I7',
    'a dead run without a dead letter',
    'delete from punctual.dead_letters where run_id = :dead',
  ],
  [
    'I7',
    'a dead letter of a run that is not dead',
    `insert into punctual.dead_letters (run_id, died_at, tenant_id, lane, reason, fingerprint)
     select run_id, now(), tenant_id, lane, :why, :why from punctual.outcomes where run_id = :done`,
  ],
  ['I7', 'a job that waits for an ended run', `delete from punctual.queue where job_id = :after`],
  ['I8', 'a lease without a session', 'delete from punctual.sessions where id = :session'],
  [
    'I9',
    'an outcome from a fenced session',
    `delete from punctual.sessions; ${END_RUNNING}; ${accept('fence')}`,
  ],
  ['I9', 'a claim by a fenced session', `delete from punctual.sessions; ${lease('keyed', 79)}`],
  [
    'I10',
    'a run in two places',
    `insert into punctual.later select run_id, now(), tenant_id, lane, 0, 0, 0 from punctual.outcomes`,
  ],
  ['I10', 'a run in no place', 'delete from punctual.queue where run_id = :keyed'],
  ['I10', 'a place without a run', 'delete from punctual.runs where id = :keyed'],
  [
    'I11',
    'a place that names another tenant',
    'update punctual.queue set tenant_id = 2 where run_id = :keyed',
  ],
  ['I11', 'a cursor that names another tenant', 'update punctual.cursors set tenant_id = 2'],
  [
    'I12',
    'one failure too many',
    `insert into punctual.attempts (run_id, fence, session_id, ended_at, tenant_id, attempt, outcome)
     select run_id, fence + n, session_id, now(), tenant_id, 1 + n, 2
     from punctual.attempts, generate_series(1, 2) as n where run_id = :failing`,
  ],
  [
    'I12',
    'one crash too many',
    `insert into punctual.attempts (run_id, fence, session_id, ended_at, tenant_id, attempt, outcome)
     select run_id, fence + n, session_id, now(), tenant_id, 1 + n, 4
     from punctual.attempts, generate_series(1, 3) as n where run_id = :failing`,
  ],
  [
    'I13',
    'a skip without a reason',
    'update punctual.slots set decision = 2, run_id = null where job_id = :job',
  ],
  [
    'I13',
    'a death without a reason',
    'update punctual.outcomes set reason = null where run_id = :dead',
  ],
  ['I14', 'a second start', `${lease('once', 80)}; ${lease('once', 81)}`],
  [
    'I14',
    'a start that is followed by another attempt',
    `insert into punctual.attempts (run_id, fence, session_id, started_at, ended_at, tenant_id, attempt, outcome)
     select id, 82, 1, now(), now(), tenant_id, 1, 2 from punctual.runs where id = :once`,
  ],
  ['I15', 'a key held by an ended run', `update punctual.live_keys set run_id = :done`],
  ['I15', 'a live run without its key', `delete from punctual.live_keys`],
  ['I15', 'a job held by an ended run', `insert into punctual.job_holds values (:job, :done)`],
  [
    'I15',
    'a run that does not hold its job',
    `update punctual.leases set traits = 48, job_id = :job where run_id = :running`,
  ],
]

it('a consistent world violates no invariant', async () => {
  expect(named.size).toBe(9)
  expect(await checkInvariants(t.sql)).toEqual([])
})

describe('planted violations', () => {
  it.for(planted)('invariant %s reports %s', async ([invariant, , sql]) => {
    await plant(sql)
    const violations = await checkInvariants(t.sql, 100)
    expect(violations.map((violation) => violation.invariant)).toContain(invariant)
  })

  it('every invariant has a planted violation', () => {
    expect(new Set(planted.map(([invariant]) => invariant))).toEqual(
      new Set(Object.keys(invariants)),
    )
  })
})
