/**
 * The floor: the cost in PostgreSQL itself of the product's guarded statements, driven by the
 * simplest loop that is still honest. It imports nothing of the product, only the driver.
 *
 * For every run it has: ids that carry the due time; 98 day partitions of runs, outcomes and
 * attempts; positions that are never in the past; the session guard; claims by lane with SKIP
 * LOCKED and a clock bound in a sub-select; the watermark below; a random fence; the fenced settle;
 * outcomes with the partial failure index; the session's own counter row; plans pinned in the
 * transaction; durable commits. Batches of 1,000, two connections.
 *
 * It does not: parse a payload, call a handler, retry, time out, log, renew from a separate thread,
 * reap, plan, enforce concurrency keys, limits or tenant shares, survive a lost connection or
 * midnight UTC (it names today's partition once; a missing run row stops it with an error).
 *
 * README.md explains what made it fast.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const BATCH_SIZE = 1000
const DAY_MS = 86_400_000
const [DAYS_BEHIND, DAYS_AHEAD] = [83, 14]
const CLAIM_PAUSE_MS = 5
const LANE = 1

// --- schema ----------------------------------------------------------------------------------

const HOT = `with (vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0)`

const SCHEMA = `
create schema floor;
set search_path = floor;
create table runs (
  run_id uuid primary key, tenant_id integer not null, lane integer not null,
  created_at timestamptz not null, max_attempts smallint not null, timeout_ms integer not null,
  payload text not null
) partition by range (run_id);
create table outcomes (
  run_id uuid primary key, tenant_id integer not null, state smallint not null,
  attempt smallint not null, fence bigint not null, session_id bigint not null,
  started_at timestamptz not null, finished_at timestamptz not null, output text, error text
) partition by range (run_id);
create index outcomes_failed on outcomes (tenant_id, finished_at) where state <> 1;
create table attempts (
  run_id uuid, attempt smallint, state smallint not null, fence bigint not null,
  started_at timestamptz not null, finished_at timestamptz not null, error text,
  primary key (run_id, attempt)
) partition by range (run_id);
create table queue (
  run_id uuid primary key, lane integer not null, pos bigint not null,
  attempt smallint not null, crashes smallint not null
) ${HOT};
create index queue_by_lane on queue (lane, pos);
create table leases (
  run_id uuid primary key, session_id bigint not null, fence bigint not null,
  attempt smallint not null, crashes smallint not null, claimed_at timestamptz not null,
  started_at timestamptz, deadline timestamptz not null
) ${HOT};
create table sessions (id bigint primary key, expires_at timestamptz not null);
create table counters (
  minute timestamptz, lane integer, state smallint, session_id bigint, total bigint not null,
  primary key (minute, lane, state, session_id)
) with (fillfactor = 50);`

/** @param {string} url */
export async function createFloor(url) {
  const client = await connect(url)
  await client.query(SCHEMA)
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  for (let day = -DAYS_BEHIND; day <= DAYS_AHEAD; day++) {
    const from = today + day * DAY_MS
    const range = `from ('${firstIdAt(from)}') to ('${firstIdAt(from + DAY_MS)}')`
    for (const table of ['runs', 'outcomes', 'attempts'])
      await client.query(
        `create table ${table}_${dayName(from)} partition of ${table} for values ${range}`,
      )
  }
  await client.end()
}

// --- statements ------------------------------------------------------------------------------

/** Milliseconds << 20; the low bits are a sequence, so that positions are a total order. */
const NOW_POS = '(extract(epoch from clock_timestamp()) * 1000)::bigint << 20'

const SUBMIT = `
with stored as (
  insert into runs (run_id, tenant_id, lane, created_at, max_attempts, timeout_ms, payload)
  select r.id, 1, ${LANE}, (select clock_timestamp()), 3, 300000, r.payload
  from (select unnest($1::uuid[]) as id, unnest($2::text[]) as payload) r
)
insert into queue (run_id, lane, pos, attempt, crashes)
select q.id, ${LANE}, greatest(q.pos, (select ${NOW_POS}) | (q.pos & 1048575)), 1, 0
from (select unnest($1::uuid[]) as id, unnest($3::bigint[]) as pos) q`

/** $1 session, $2 lanes, $3 first position of each, $4 share of each, $5 fence */
const claimStatement = (today, yesterday) => `
with me as materialized (
  select id from sessions where id = $1 and expires_at > clock_timestamp() for key share
), bound as materialized (select ${NOW_POS} | 1048575 as pos
), picked as materialized (
  select q.tid
  from me cross join unnest($2::integer[], $3::bigint[], $4::integer[]) as l (lane, first, share)
  cross join lateral (
    select ctid as tid from queue
    where lane = l.lane and pos >= l.first and pos <= (select pos from bound)
    order by pos limit l.share for update skip locked
  ) q
), taken as (
  delete from queue where ctid = any (array(select tid from picked))
  returning run_id, pos, attempt, crashes
), leased as (
  insert into leases (run_id, session_id, fence, attempt, crashes, claimed_at, deadline)
  select run_id, $1, $5::bigint, attempt, crashes, (select clock_timestamp()),
    (select clock_timestamp() + interval '300 s')
  from taken
), batch as materialized (
  select array_agg(run_id) as ids, encode(string_agg(uuid_send(run_id), ''), 'hex') as hex,
    string_agg(attempt::text, ',') as attempts, max(pos) as last
  from (select run_id, attempt, pos from taken order by run_id) t
)
select b.hex, b.attempts, b.last, r.hex, r.payloads, (select pos from bound),
  (select count(*) from me), pg_snapshot_xmin(s.now), pg_snapshot_xmax(s.now)
from batch b
cross join lateral (select pg_current_snapshot() as now) s
cross join lateral (
  select encode(string_agg(uuid_send(run_id), ''), 'hex') as hex,
    '[' || string_agg(payload, ',') || ']' as payloads
  from (
    select run_id, payload from ${yesterday} where run_id = any (b.ids) union all
    select run_id, payload from ${today} where run_id = any (b.ids)
  ) u
) r`

/** $1 run ids, $2 fences, $3 when the batch was started, $4 session */
const SETTLE = `
with ended as (
  delete from leases where run_id = any ($1::uuid[]) and fence = any ($2::bigint[])
  returning run_id, attempt, fence, session_id
), kept as (
  insert into outcomes
    (run_id, tenant_id, state, attempt, fence, session_id, started_at, finished_at)
  select run_id, 1, 1, attempt, fence, session_id, $3::timestamptz, (select clock_timestamp())
  from ended
), counted as (
  insert into counters as c (minute, lane, state, session_id, total)
  select date_trunc('minute', clock_timestamp()), ${LANE}, 1, $4, count(*) from ended
  on conflict (minute, lane, state, session_id) do update set total = c.total + excluded.total
)
select count(*) from ended`

const RENEW = `insert into sessions values ($1, clock_timestamp() + interval '30 s')
on conflict (id) do update set expires_at = excluded.expires_at`

const BEGIN_PINNED = `begin isolation level read committed;
set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off;
set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off`

// --- submitting ------------------------------------------------------------------------------

/** @typedef {{ payload: string, dueMs?: number }} Item  `payload` is JSON text */

export class FloorProducer {
  #clients = []
  #turn = 0
  #sequence = randomBytes(4).readUInt32BE() & 0xfffff

  /** @param {string} url @param {{ connections?: number, notify?: boolean }} [options] */
  static async open(url, { connections = 2, notify = false } = {}) {
    const producer = new FloorProducer()
    producer.notify = notify
    for (let i = 0; i < connections; i++) producer.#clients.push(await connect(url))
    return producer
  }

  /** One batch, one transaction. Call it again before it ends, to keep the connections busy. */
  async submit(/** @type {Item[]} */ items) {
    const client = this.#clients[this.#turn++ % this.#clients.length]
    const values = this.#encode(items)
    const stored = client.query({ name: 'submit', text: SUBMIT, values })
    await Promise.all([stored, this.notify && client.query('notify floor_queued')])
  }

  async close() {
    for (const client of this.#clients) await client.end()
  }

  #encode(items) {
    const now = Date.now()
    const random = randomBytes(items.length * 8)
    const ids = binaryArray(UUID_OID, items.length, items.length * 20)
    const positions = binaryArray(BIGINT_OID, items.length, items.length * 12)
    for (const [i, item] of items.entries()) {
      const dueMs = Math.max(item.dueMs ?? now, now)
      this.#sequence = (this.#sequence + 1) & 0xfffff
      random.copy(ids, 32 + i * 20, i * 8, i * 8 + 8)
      writeId(ids, 20 + i * 20, dueMs, this.#sequence)
      positions.writeUInt32BE(8, 20 + i * 12)
      positions.writeUInt32BE(Math.floor(dueMs / 4096), 24 + i * 12)
      positions.writeUInt32BE((dueMs % 4096) * 1048576 + this.#sequence, 28 + i * 12)
    }
    return [ids, textArray(items), positions]
  }
}

/** A UUIDv7 of the due time over random bytes; the sequence keeps a batch in index order. */
function writeId(ids, at, dueMs, sequence) {
  ids.writeUInt32BE(16, at)
  ids.writeUInt32BE(Math.floor(dueMs / 65536), at + 4)
  ids.writeUInt16BE(dueMs % 65536, at + 8)
  ids.writeUInt16BE(0x7000 | (sequence >> 8), at + 10)
  ids[at + 12] = 0x80 | ((sequence >> 2) & 0x3f)
}

// --- claiming and settling -------------------------------------------------------------------

/** @typedef {{ count: number, hex: string, token: bigint, payloads: string }} Batch */

export class FloorWorker {
  #clients = []
  #marks = new Marks()
  #session = randomBytes(8).readBigInt64BE()
  #stopping = false
  #backlog = true
  #wake = () => {}

  /** @param {string} url */
  static async open(url) {
    const worker = new FloorWorker()
    worker.#clients = [await connect(url), await connect(url)]
    const [first] = worker.#clients
    await first.query('listen floor_queued')
    first.on('notification', () => worker.#wake())
    const now = Date.now()
    worker.claimText = claimStatement(`runs_${dayName(now)}`, `runs_${dayName(now - DAY_MS)}`)
    await worker.#renew()
    worker.heartbeat = setInterval(() => worker.#renew(), 10_000)
    return worker
  }

  /** Claims and settles until `stop`. `onBatch` receives every claimed batch, as JSON text. */
  async run(/** @type {(batch: Batch) => void} */ onBatch) {
    await Promise.all(this.#clients.map((client, index) => this.#loop(client, index, onBatch)))
  }

  async stop() {
    this.#stopping = true
    this.#wake()
  }

  async close() {
    clearInterval(this.heartbeat)
    for (const client of this.#clients) await client.end()
  }

  /** Claim k+1 and settle k are sent together. Only the first connection polls an empty queue. */
  async #loop(client, index, onBatch) {
    /** @type {Batch | undefined} */
    let held
    while (held || !this.#stopping) {
      const mayClaim = !this.#stopping && (index === 0 || this.#backlog)
      const claiming = mayClaim ? this.#claim(client) : undefined
      if (held) await Promise.all([claiming, this.#settle(client, held)])
      held = await claiming
      if (held) onBatch(held)
      else if (!this.#stopping) await this.#pause(index)
    }
  }

  /** @returns {Promise<Batch | undefined>} */
  async #claim(client) {
    const token = randomBytes(8).readBigInt64BE()
    const scan = this.#marks.begin()
    const values = [this.#session, `{${LANE}}`, `{${scan.first}}`, `{${BATCH_SIZE}}`, token]
    const answer = await pinned(client, { name: 'claim', text: this.claimText, values })
    const [hex, , last, runsHex, payloads, bound, sessions, xmin, xmax] = answer.rows[0]
    if (sessions === '0') throw new Error('the session is gone: expected a live lease on it')
    if (hex !== runsHex) throw new Error('a claimed run has no row in the two named partitions')
    const count = hex === null ? 0 : hex.length / 32
    const full = count === BATCH_SIZE
    this.#backlog = full
    this.#marks.learn(scan, BigInt(full ? last : bound), full, BigInt(xmin), BigInt(xmax))
    return count === 0 ? undefined : { count, hex, token, payloads, startedAt: new Date() }
  }

  async #settle(client, held) {
    const values = [uuidArray(held.hex), `{${held.token}}`, held.startedAt, this.#session]
    const answer = await pinned(client, { name: 'settle', text: SETTLE, values })
    const settled = Number(answer.rows[0][0])
    if (settled !== held.count) throw new Error(`settled ${settled} of ${held.count} runs`)
  }

  async #pause(index) {
    if (index > 0) return sleep(CLAIM_PAUSE_MS)
    const pause = new AbortController()
    this.#wake = () => pause.abort()
    await sleep(CLAIM_PAUSE_MS, undefined, { signal: pause.signal }).catch(() => {})
  }

  async #renew() {
    await this.#clients.at(-1).query(RENEW, [this.#session])
  }
}

/**
 * The watermark. A claim starts 250 ms behind the last position reached, or at the safe mark if
 * that is further. A position becomes safe when a claim that began at the old safe mark returned
 * fewer rows than requested, after every transaction that could still have hidden a row had ended.
 */
class Marks {
  #safe = 0n
  #last = 0n
  #sent = 0
  #candidates = []
  #headAt = 0
  #rescanMs = 0
  #startedAt = performance.now()

  begin() {
    const at = performance.now()
    const [near, safe] = [this.#last - (250n << 20n), this.#safe - (20n << 20n)]
    const lagging = safe < near
    const fromHead = at - this.#headAt > 30_000
    if (fromHead) this.#headAt = at
    const affordable = this.#rescanMs < (at - this.#startedAt) * 0.05
    const fromSafe = fromHead || affordable || !lagging
    const first = fromHead ? 0n : fromSafe ? safe : near
    return { sequence: ++this.#sent, at, first, fromSafe, rescan: fromSafe && lagging }
  }

  learn(scan, reached, full, xmin, xmax) {
    if (scan.rescan) this.#rescanMs += performance.now() - scan.at
    if (reached > this.#last) this.#last = reached
    for (const c of this.#candidates) if (scan.sequence > c.after) c.xmax ??= xmax
    const proven = this.#candidates.findLast((c) => c.xmax !== undefined && xmin >= c.xmax)
    if (proven && scan.fromSafe && !full) {
      if (proven.reached > this.#safe) this.#safe = proven.reached
      this.#candidates = this.#candidates.filter((c) => c.after > proven.after)
    }
    if (this.#candidates.length < 64) this.#candidates.push({ reached, after: this.#sent })
  }
}

// --- wire ------------------------------------------------------------------------------------

const [BIGINT_OID, TEXT_OID, UUID_OID] = [20, 25, 2950]

/** Pipelined, and every value stays text as received: the loop needs no types. */
async function connect(url) {
  const types = { getTypeParser: () => (value) => value }
  const client = new pg.Client({ connectionString: url, pipeline: true, types })
  await client.connect()
  await client.query('set search_path = floor')
  return client
}

async function pinned(client, statement) {
  const sent = [BEGIN_PINNED, { ...statement, rowMode: 'array' }, 'commit']
  const [, answer] = await Promise.all(sent.map((query) => client.query(query)))
  return answer
}

/** An empty binary array of PostgreSQL: dimensions, nulls, element type, length, lower bound. */
function binaryArray(elementOid, count, byteLength) {
  const buffer = Buffer.allocUnsafe(20 + byteLength)
  for (const [i, word] of [1, 0, elementOid, count, 1].entries()) buffer.writeInt32BE(word, i * 4)
  return buffer
}

function textArray(items) {
  let length = 0
  for (const { payload } of items) length += 4 + Buffer.byteLength(payload)
  const buffer = binaryArray(TEXT_OID, items.length, length)
  let at = 20
  for (const { payload } of items) {
    const written = buffer.write(payload, at + 4, 'utf8')
    buffer.writeInt32BE(written, at)
    at += 4 + written
  }
  return buffer
}

function uuidArray(hex) {
  const bytes = Buffer.from(hex, 'hex')
  const count = bytes.length / 16
  const buffer = binaryArray(UUID_OID, count, count * 20)
  for (let i = 0, at = 20; i < count; i++, at += 20) {
    buffer.writeInt32BE(16, at)
    bytes.copy(buffer, at + 4, i * 16, i * 16 + 16)
  }
  return buffer
}

// --- days ------------------------------------------------------------------------------------

const dayName = (ms) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

const firstIdAt = (ms) => `${ms.toString(16).padStart(12, '0')}${'0'.repeat(20)}`
