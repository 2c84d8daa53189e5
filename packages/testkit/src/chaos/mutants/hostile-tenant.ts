/**
 * One mutant for each way in which a tenant could once slow or stop the others: the profile
 * `hostile-tenant` must fail with each of them.
 */
import type { Mutant } from './mutant.ts'

export const hostileTenantMutants: readonly Mutant[] = [
  {
    name: 'guarantees-unpooled',
    breaks: 'each request for the guarantees reads them over a new connection',
    edits: [
      {
        file: 'store/dist/doctor/recent-guarantees.js',
        find: "return this.#panels.get('panel');",
        replace: 'return this.judge();',
      },
      {
        file: 'store/dist/doctor/recent-guarantees.js',
        find: 'constructor(clock, judge) {',
        replace: 'constructor(clock, judge) {\n        this.judge = judge;',
      },
      {
        file: 'store/dist/doctor/guarantee-facts.js',
        find: 'return database.ambient.outside(() => factsOf(database, (call) => channel.run(call), replica));',
        replace: `return database.ambient.outside(async () => {
        const client = await database.connect();
        try {
            return await factsOf(database, (call) => database.runOn(client, call), replica);
        } finally {
            await client.end();
        }
    });`,
      },
    ],
    killedBy: 'guarantees: connections of a process',
  },
  {
    name: 'patience-of-the-longest-lease',
    breaks: 'the reaper waits for the longest lease of all sessions before it fences one',
    edits: [
      {
        file: 'store/queries/upkeep/list-expired-sessions.sql',
        find: 'coalesce(array_agg(lease_ms order by turn, id)',
        replace:
          'coalesce(array_agg((select max(m.lease_ms) from punctual.sessions m) order by turn, id)',
      },
    ],
    killedBy: 'sessions: recovery',
  },
  {
    name: 'payloads-unbounded',
    breaks:
      'a claim loads the payloads of all its runs, and its answer holds no share of the memory',
    edits: [
      {
        file: 'store/queries/work/read-runs.sql',
        find: 'when total <= $2::bigint or (place = 1 and $3::boolean) then payload',
        replace: 'when total + $2::bigint >= 0 or (place = 1 and $3::boolean) then payload',
      },
      {
        file: 'api/dist/worker-sessions/answer-budget.js',
        find: 'reserve(tenantId, bytes, signal) {',
        replace: 'reserve(tenantId, bytes, signal) {\n        bytes = 0;',
      },
    ],
    killedBy: 'largeClaims: memory of a process',
  },
  {
    name: 'lanes-unbounded',
    breaks: 'a tenant may have any number of lanes, all of which workers read',
    edits: [
      {
        file: 'store/queries/lanes/intern-lane.sql',
        find: 'where tenant_id = $1::integer) < q.most as is_left',
        replace: 'where tenant_id = $1::integer) >= 0 as is_left',
      },
    ],
    killedBy: 'lanes: rows',
  },
  {
    name: 'pauses-unbounded',
    breaks: 'a tenant may pause any number of queues that do not exist',
    edits: [
      {
        file: 'store/queries/queues/pause-queue.sql',
        find: "'pauses', $5::bigint) < $5::bigint as is_left",
        replace: "'pauses', $5::bigint) <= $5::bigint as is_left",
      },
    ],
    killedBy: 'pauses: rows',
  },
  {
    name: 'calendars-unbounded',
    breaks: 'a tenant may have any number of calendars',
    edits: [
      {
        file: 'store/queries/calendars/upsert-calendar.sql',
        find: "'calendars', $4::bigint) < $4::bigint",
        replace: "'calendars', $4::bigint) <= $4::bigint",
      },
    ],
    killedBy: 'calendars: rows',
  },
  {
    name: 'connections-first-come',
    breaks: 'connections go to callers in the order of their arrival, and callers wait without end',
    edits: [
      {
        file: 'store/dist/connection/client-pool.js',
        find: 'const { tenantId } = this.#database.ambient;',
        replace: 'const tenantId = null;',
      },
      {
        file: 'api/dist/http/piece-turns.js',
        find: 'const AT_ONCE = 2;',
        replace: 'const AT_ONCE = 1000;',
      },
    ],
    killedBy: 'badLines: lateness',
  },
  {
    name: 'tenant-rate-ignored',
    breaks: 'requests are counted for each key only, so that many keys are many times the rate',
    edits: [
      {
        file: 'api/dist/http/admit.js',
        find: 'tenantId === null ? null : byTenant.take(tenantId)',
        replace: 'tenantId === null ? byTenant.take(0) : null',
      },
    ],
    killedBy: 'flood: requests admitted',
  },
  {
    name: 'rates-without-horizon',
    breaks: 'starts of a slow rate are booked without end, and a value that fails fails every lane',
    edits: [
      {
        file: 'store/queries/parts/claim/rates.sql',
        find: 'where r.next_us > (select us from instant) + :rates.horizon_us + a.saved_us',
        replace: 'where r.next_us < 0 and a.saved_us < 0',
      },
      {
        file: 'store/queries/parts/claim/rates.sql',
        find: 'asks and turn < :rates.horizon_us / slowest_us + least_burst\n',
        replace: 'asks\n',
      },
      {
        file: 'store/queries/parts/claim/rates.sql',
        find: '(least(ceil(start_us / 1000.0)::bigint, :pos.ms_max) << :pos.shift)',
        replace: '(ceil(start_us / 1000.0)::bigint * (1::bigint << :pos.shift))',
      },
      {
        file: 'store/dist/work/fault-claims.js',
        find: '            if (!isDataFault(error))\n                throw error;\n            return new Round',
        replace:
          '            if (!isDataFault(error) || isDataFault(error))\n                throw error;\n            return new Round',
      },
    ],
    killedBy: 'slowRates: lateness',
  },
]
