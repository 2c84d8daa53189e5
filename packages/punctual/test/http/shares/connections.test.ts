/**
 * How many connections of PostgreSQL callers can make a process open: however many requests arrive,
 * not more than ARCHITECTURE.md says.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { belongingsOf } from '../../kit/http-belongings.ts'
import { HttpKit } from '../../kit/http-kit.ts'
import {
  ask,
  covers,
  forEachOf,
  type Operation,
  operationsOf,
  readDocument,
} from '../../kit/http-operations.ts'

const AT_ONCE = 300
/** Many answers queue behind each other on the few connections. */
const PATIENCE_MS = 120_000

let http: HttpKit
let reads: readonly Operation[]

beforeAll(async () => {
  http = await HttpKit.open({ roles: ['worker'] })
  await belongingsOf(http, 'acme')
  reads = operationsOf(await readDocument(http)).filter(({ method }) => method === 'GET')
})
afterAll(() => http.close())

/** The sum of the table "Connections of a process": what a process with every role may open. */
function documentedConnections(): number {
  const text = readFileSync(new URL('../../../../../ARCHITECTURE.md', import.meta.url), 'utf8')
  const [, section = ''] = text.split('## Connections of a process')
  const numbers = [...section.matchAll(/^\| [a-z ]+ \| (?:up to )?(\d+)(.*?)\|/gm)].map(
    ([, number, more = '']) => Number(number) + (more.includes('a second on demand') ? 1 : 0),
  )
  expect(numbers.length).toBeGreaterThan(5)
  return numbers.reduce((sum, number) => sum + number, 0)
}

/** A number that no other lock has. */
const LOCK = 711

/**
 * Samples the connections to the database of the test inside the server, where a busy event loop
 * cannot delay it, until the lock is free. `$1` and `$2` are the connections of the test itself.
 */
const COUNTER = `
create function pg_temp.most_connections(integer, integer) returns integer language plpgsql as $$
declare
  most integer := 0;
begin
  loop
    perform pg_stat_clear_snapshot();
    most := greatest(most, (
      select count(*) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid not in ($1, $2)
    ));
    exit when pg_try_advisory_xact_lock(${LOCK});
    perform pg_sleep(0.002); -- waits: the interval of the samples
  end loop;
  return most;
end
$$`

/** Does the work and returns the most connections that the process had meanwhile. */
async function mostConnectionsWhile(work: () => Promise<unknown>): Promise<number> {
  const { database } = http.punctual.store
  const [probe, holder] = [await database.connect(), await database.connect()]
  await probe.query(COUNTER)
  await holder.query(`select pg_advisory_lock(${LOCK})`)
  const pids = [probe.processID, holder.processID]
  const counting = probe.query('select pg_temp.most_connections($1, $2) as most', pids)
  try {
    await work()
  } finally {
    await holder.end()
  }
  const { rows } = await counting
  await probe.end()
  return Number(rows[0].most)
}

/**
 * Sends the operation 300 times at once, in turn with each key that may call it. On a slow machine
 * some may be too late for the deadline of a statement; that is not what is measured here.
 */
async function flood(operation: Operation, keys: readonly string[]): Promise<void> {
  const copies = Array.from({ length: AT_ONCE }, (_, i) => keys[i % keys.length] as string)
  let answered = 0
  await forEachOf(copies, AT_ONCE, async (key) => {
    const { status } = await ask(http, operation, { key, answerMs: PATIENCE_MS })
    if (status < 500) answered++
  })
  expect(answered, operation.title).toBeGreaterThan(0)
}

test('each GET route, called 300 times at once, stays within the documented connections', async () => {
  const documented = documentedConnections()
  const worker = await http.keyFor('acme', 'worker')
  const held = [
    ['admin', http.admin],
    ['worker', worker],
    ['system', http.system],
  ] as const
  expect(reads.length).toBeGreaterThan(20)
  const tooMany: string[] = []
  for (const operation of reads) {
    const keys = held.filter(([scope]) => covers(scope, operation)).map(([, key]) => key)
    const most = await mostConnectionsWhile(() => flood(operation, keys))
    if (most > documented) tooMany.push(`${operation.title}: ${most} connections`)
  }
  expect(tooMany).toEqual([])
}, 300_000)
