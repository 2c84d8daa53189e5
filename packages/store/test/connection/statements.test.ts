/**
 * Every statement prepares on a migrated database, hot ones use their indexes, what ends
 * runs includes all consequences.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { postgresMajors, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PINNED } from '../../src/connection/pins.ts'
import { readStatement } from '../../src/sql/source.ts'

const root = new URL('../../queries/', import.meta.url)
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.sql') && !file.startsWith('parts'))
  .map((file) => file.slice(0, -4).replaceAll('\\', '/'))
  .sort()

describe.each(postgresMajors)('statements on PostgreSQL %s', (major) => {
  let t: TestStore
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterAll(() => t.close())

  it.each(files)('statement %s prepares, unchanged and with named partitions', async (file) => {
    const { statements, clock } = t.store.database
    for (const text of [
      readStatement(file),
      statements.get(file).text,
      statements.onDay(file, clock.nowMs()).text,
    ]) {
      await t.sql.query(`prepare probe as ${text}`)
      await t.sql.query('deallocate probe')
    }
  })

  const day = () => new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const uuids = "array['019a0000-0000-7000-8000-000000000000']::uuid[]"
  const hot: Record<string, { args: string; indexes: string[] }> = {
    'work/claim-runs': {
      args: `1, 1, array[1], array[0]::bigint[], array[5]::smallint[], 100, array[1], null`,
      indexes: ['queue_lane_pos', 'sessions_pkey', `runs_${day()}_pkey`],
    },
    'work/claim-controlled-runs': {
      args: `1, 1, array[1], array[0]::bigint[], array[5]::smallint[], 100, array[1], null`,
      indexes: ['queue_lane_pos', 'sessions_pkey', `runs_${day()}_pkey`, 'gated_pkey'],
    },
    'work/settle-all-succeeded': {
      args: `1, ${uuids}, array[1]::bigint[], array[1], null, null, 1, 1, null, null, null, 1, array[1], array[1]::bigint[], null, null, null, null`,
      indexes: ['leases_pkey'],
    },
    'work/settle-succeeded': {
      args: `1, ${uuids}, array[1]::bigint[], array[1], null`,
      indexes: ['leases_pkey'],
    },
    'work/settle-retry': {
      args: `${uuids}, array[1]::bigint[], array[1], array[2]::smallint[], array['{}']::jsonb[], array[1]::bigint[], 1000`,
      indexes: ['leases_pkey'],
    },
    'work/settle-dead': {
      args: `1, ${uuids}, array[1]::bigint[], array[1], array[2]::smallint[], array['{}']::jsonb[], array['x'], array['x']`,
      indexes: ['leases_pkey'],
    },
    'work/give-back-runs': { args: `${uuids}, array[1]::bigint[]`, indexes: ['leases_pkey'] },
    'upkeep/promote-runs': { args: `60000, 100, 'epoch'`, indexes: ['later_due'] },
    'work/parked/release-parked': {
      args: `${uuids}`,
      indexes: ['parked_job', 'parked_pkey', 'job_holds_pkey'],
    },
    'work/parked/release-gates': {
      args: `array[1]::bigint[]`,
      indexes: ['parked_gate', 'leases_gate', 'queue_gate'],
    },
    'upkeep/list-free-gates': {
      args: `0, 100`,
      indexes: ['parked_gate', 'leases_gate', 'queue_gate'],
    },
    'upkeep/list-rate-gaps': {
      args: `0, 100, 100`,
      indexes: ['rates_pkey', 'rate_starts_pkey', 'gated_rate'],
    },
    'upkeep/advance-bookings': {
      args: `1, 0, 100`,
      indexes: ['gated_rate', 'gated_pkey', 'queue_pkey', 'rates_pkey', 'rate_starts_pkey'],
    },
    'submit/withdraw-from-queue': { args: `${uuids}, 1`, indexes: ['queue_pkey'] },
    'submit/withdraw-from-later': { args: `${uuids}, 1`, indexes: ['later_pkey'] },
    'submit/withdraw-from-parked': { args: `${uuids}, 1`, indexes: ['parked_pkey'] },
    'submit/find-started': {
      args: uuids,
      indexes: ['leases_pkey', 'queue_pkey', 'later_pkey', 'parked_pkey'],
    },
    'submit/replace-runs': {
      args: `1, '[]', 1000, ${uuids}`,
      indexes: [`runs_${day()}_pkey`],
    },
    'work/parked/list-parked': { args: `${uuids}`, indexes: ['parked_pkey'] },
    'work/parked/skip-parked': { args: `1, ${uuids}`, indexes: ['parked_job', 'parked_pkey'] },
    'work/parked/supersede-holders': {
      args: `1, ${uuids}`,
      indexes: ['parked_pkey', 'job_holds_pkey', 'leases_pkey', 'queue_pkey', 'later_pkey'],
    },
    'work/settle-cancelled': {
      args: `1, ${uuids}, array[1]::bigint[], array[1], array['{}']::jsonb[], array['x'], false`,
      indexes: ['leases_pkey'],
    },
    'work/settle-skipped': {
      args: `1, ${uuids}, array[1]::bigint[], array['x']`,
      indexes: ['leases_pkey'],
    },
    'work/list-cancels': { args: `${uuids}, array[1]::bigint[]`, indexes: ['leases_pkey'] },
    'plan/announce-planner': { args: `1, 1000, '2025b'`, indexes: ['cursors_due'] },
    'plan/list-due-jobs': { args: `array[1]::smallint[], 0, 1, 100`, indexes: ['cursors_due'] },
    'plan/list-skips': { args: `${uuids}`, indexes: ['slot_skips_pkey'] },
    'plan/list-timings': { args: `array[1]`, indexes: ['timings_pkey'] },
    'plan/advance-cursors': {
      args: `${uuids}, array[1]::bigint[], array[1], array[1]::bigint[], array[1]::bigint[], array[1], array[1]::bigint[]`,
      indexes: ['cursors_pkey', 'Tid Scan'],
    },
    'plan/insert-slots': {
      args: `array[1]::bigint[], ${uuids}, ${uuids}, array[1]::bigint[], array[1], array[1], array[1]::smallint[], array[1]::bigint[], 1, array[true]`,
      indexes: ['jobs_pkey'],
    },
    'plan/set-aside': { args: `(${uuids})[1], 1, 'x'`, indexes: ['cursors_pkey', 'jobs_pkey'] },
    'jobs/steering/take-back-runs': {
      args: `0, (${uuids})[1], array[1]::bigint[], 'x', 1`,
      indexes: ['queue_pkey', `slots_${day()}_pkey`],
    },
    'ledger/list-slots': {
      args: `(${uuids})[1], array[1]::bigint[]`,
      indexes: [`slots_${day()}_pkey`],
    },
    'jobs/steering/find-live-run': {
      args: `(${uuids})[1], 1`,
      indexes: [`outcomes_${day()}_pkey`],
    },
    'jobs/steering/find-last-end': {
      args: `(${uuids})[1]`,
      indexes: [`slots_${day()}_job_id_slot_at_idx`, `outcomes_${day()}_pkey`],
    },
    'jobs/steering/list-unstarted': {
      args: `(${uuids})[1], (${uuids})[1], 100`,
      indexes: [`runs_${day()}_job_id_id_idx`, 'later_pkey', 'queue_pkey', 'parked_pkey'],
    },
    'dead-letters/pick-letters': {
      args: `1, null, null, null, null, null, null, null, 'now', null, 100`,
      indexes: ['dead_letters_open'],
    },
    'dead-letters/lock-letters': {
      args: `1, ${uuids}`,
      indexes: ['dead_letters_pkey'],
    },
    'dead-letters/close-letters': {
      args: `1, ${uuids}, 1::smallint, ${uuids}, 'x', 'x'`,
      indexes: ['dead_letters_pkey'],
    },
    'dead-letters/insert-replays': {
      args: `${uuids}, ${uuids}, null, 'x', true, 1`,
      indexes: [`runs_${day()}_pkey`, `checkpoints_${day()}_pkey`],
    },
    'tenants/count-jobs': { args: '1, 100', indexes: ['jobs_again', 'cursors_once_ahead'] },
    'upkeep/sweeps/delete-once-jobs': {
      args: `90, '-infinity', (${uuids})[1], 1000`,
      indexes: ['cursors_once_over', `runs_${day()}_job_id_id_idx`, 'jobs_pkey', 'cursors_pkey'],
    },
    'dead-letters/count-open': { args: '', indexes: ['dead_letters_lane'] },
    'groups/look-at-groups': {
      args: `(${uuids})[1], 100, 100`,
      indexes: [
        ...['groups_open', 'group_members_pkey', 'leases_pkey', 'queue_pkey', 'later_pkey'],
        'parked_pkey',
      ],
    },
    'groups/move-groups': {
      args: `${uuids}, array[0], array[1]`,
      indexes: ['groups_pkey', 'group_members_pkey', `outcomes_${day()}_pkey`],
    },
    'groups/finish-group': { args: `(${uuids})[1]`, indexes: ['groups_open'] },
    'groups/add-members': {
      args: `(${uuids})[1], ${uuids}`,
      indexes: ['groups_pkey', 'group_members_run'],
    },
    'groups/find-group': {
      args: `(${uuids})[1], 1`,
      indexes: ['groups_tenant', 'group_members_pkey', `outcomes_${day()}_pkey`],
    },
    'groups/list-groups': { args: `1, null, null, 50`, indexes: ['groups_tenant'] },
    'groups/list-members': { args: `(${uuids})[1], 1, 0, 50`, indexes: ['group_members_pkey'] },
    'upkeep/sweeps/delete-old-groups': {
      args: `90`,
      indexes: ['groups_done', 'group_members_pkey'],
    },
    'runs/steering/cancel-in-leases': { args: `${uuids}, 1, 'x'`, indexes: ['leases_pkey'] },
    'runs/steering/cancel-in-queue': { args: `0, ${uuids}, 1, 'x'`, indexes: ['queue_pkey'] },
    'runs/steering/reschedule-in-queue': { args: `${uuids}, 1, 1, 60000`, indexes: ['queue_pkey'] },
    'runs/steering/reschedule-in-later': { args: `${uuids}, 1, 1, 60000`, indexes: ['later_pkey'] },
    'runs/steering/reprioritise-in-queue': {
      args: `${uuids}, 1, array[1], array[2]`,
      indexes: ['queue_pkey', `runs_${day()}_pkey`],
    },
    'runs/steering/edit-in-queue': { args: `${uuids}, 1, '1'`, indexes: ['queue_pkey'] },
    // In use each query has a custom plan; the generic plan contains every index that one of them
    // uses.
    'runs/page-runs': {
      args: `1, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, false, array['runs'], 'ffffffff-ffff-ffff-ffff-ffffffffffff', '00000000-0000-0000-0000-000000000000', 1, 1, null, true, null, null, null, array['ended']`,
      indexes: [
        ...[`runs_${day()}_pkey`, `runs_${day()}_lane_id_idx`, `runs_${day()}_job_id_id_idx`],
        ...[`runs_${day()}_tenant_id_key_id_idx`, `outcomes_${day()}_pkey`],
        ...[
          `outcomes_${day()}_tenant_id_run_id_idx`,
          `outcomes_${day()}_tenant_id_finished_at_idx`,
        ],
        ...['later_pkey', 'queue_pkey', 'parked_pkey', 'leases_pkey', 'dead_letters_open'],
        ...['dead_letters_print', 'dead_letters_open_run', 'dead_letters_pkey'],
      ],
    },
    'jobs/page-jobs': {
      args: `1, '', null, null, null, null, null, null, null, null, 1, 1, 0, false, array['any'], array['any'], array['x'], 1000`,
      indexes: [
        'jobs_name',
        'cursors_pkey',
        `runs_${day()}_job_id_id_idx`,
        `outcomes_${day()}_pkey`,
      ],
    },
    'jobs/find-candidates': {
      args: `1, array['over'], null, null, 1`,
      indexes: ['jobs_paused', 'cursors_over', 'cursors_due'],
    },
    'runs/steering/select-runs': {
      args: `1, null, null, null, null, null, null, null, null, null, null, (${uuids})[1], 5000, array['queued']`,
      indexes: ['later_pkey', 'queue_pkey', 'parked_pkey', 'leases_pkey', `runs_${day()}_pkey`],
    },
  }

  it.each(Object.keys(hot))(
    'statement %s uses its indexes and scans no hot table (case 66)',
    async (file) => {
      const { args, indexes } = hot[file] as { args: string; indexes: string[] }
      const { text } = t.store.database.statements.onDay(file, Date.now())
      await t.sql.query(PINNED)
      await t.sql.query('set local plan_cache_mode = force_generic_plan')
      await t.sql.query(`prepare hot as ${text}`)
      const explained = t.sql.query(`explain (costs off) execute hot${args && ` (${args})`}`)
      const { rows } = await explained.finally(() => t.sql.query('rollback; deallocate hot'))
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).not.toMatch(
        /Seq Scan on (queue|leases|later|runs|sessions|parked|job_holds|cursors|jobs|slots|slot_skips|timings|outcomes|dead_letters|checkpoints|groups|group_members)/,
      )
      expect(plan).not.toMatch(/Hash Join|Merge Join/)
      for (const index of indexes) expect(plan).toContain(index)
    },
  )
})

it('every statement that ends runs includes the consequences of ending them', () => {
  const source = (file: string) => readFileSync(new URL(`${file}.sql`, root), 'utf8')
  const ending = files.filter((file) => readStatement(file).includes('into punctual.outcomes'))
  // settle-all-succeeded has the same effect in another form; settle-forms.test.ts compares them.
  expect(ending.filter((file) => !source(file).includes('-- include: finish'))).toEqual([
    'work/settle-all-succeeded',
  ])
  expect(ending).toHaveLength(15)
})
