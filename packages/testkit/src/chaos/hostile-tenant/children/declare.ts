/**
 * Migrates the schema, creates both tenants with their keys, the jobs of the steady tenant and the
 * large payloads of the hostile one, and sends the keys to its parent.
 */
import type { Scope } from '@punctual/core/identity'
import { Punctual } from 'punctual'
import { libraryOptions, readSettings } from '../../plan/child-settings.ts'
import { sizes } from '../plan/sizes.ts'
import { HOSTILE, type Keys, SHARED_SHARE, STEADY } from '../plan/tenants.ts'

const settings = readSettings()
const { jobs, keys, payloads } = settings.more as { jobs: number; keys: number; payloads: number }
const PAYLOAD_BYTES = 1_000_000
const AT_ONCE = 50

const punctual = await Punctual.start({ ...libraryOptions(settings), migrate: true, roles: [] })

async function keysOf(tenant: string, scope: Scope, count: number): Promise<string[]> {
  const made: string[] = []
  for (let i = 0; i < count; i++) {
    const name = `${scope}-${i}`
    made.push((await punctual.apiKeys.create({ name, tenant, scopes: [scope] })).key)
  }
  return made
}

async function declareJobs(tenantId: number): Promise<void> {
  const options = Array.from({ length: jobs }, (_, i) => ({
    name: `every-second-${i}`,
    handler: i % SHARED_SHARE === 0 ? 'shared' : 'remote',
    cron: '* * * * * *',
    overlap: 'allow' as const,
    maxAttempts: 10,
  }))
  await punctual.tenant(tenantId).jobs.upsertMany(options)
}

/** In SQL: sending them would take longer than the profile, and the keys of the tenant allow it. */
async function storePayloads(): Promise<void> {
  const client = await punctual.store.database.connect()
  const text = `select punctual.submit('large', jsonb_build_object('text', repeat('x', $1)),
    jsonb_build_object('tenant', $2::text, 'queue', 'large', 'max_attempts', 1000))
    from generate_series(1, $3)`
  for (let left = payloads; left > 0; left -= AT_ONCE)
    await client.query(text, [PAYLOAD_BYTES, HOSTILE, Math.min(left, AT_ONCE)])
  await client.end()
}

/** As many rows as the bounds allow: the attack begins where a patient one would have come. */
async function storeRows(tenantId: number): Promise<void> {
  const client = await punctual.store.database.connect()
  const missing = `from generate_series(1, ${sizes.rows}) as i`
  for (const text of [
    `insert into punctual.pauses (tenant_id, paused_at, queue)
     select $1, clock_timestamp(), 'stored-' || i ${missing}`,
    `insert into punctual.limits (tenant_id, set_at, queue, concurrency)
     select $1, clock_timestamp(), 'stored-' || i, 5 ${missing}`,
    `insert into punctual.calendars (tenant_id, version, updated_at, name, spec)
     select $1, 1, clock_timestamp(), 'stored-' || i, '{"exclude":["2035-01-01"]}' ${missing}`,
    `insert into punctual.lanes (tenant_id, queue, handler, priority)
     select $1, 'stored-' || i, 'shared', 5 from generate_series(1, ${sizes.lanes}) as i`,
  ])
    await client.query(text, [tenantId])
  await client.end()
}

const steady = await punctual.tenants.create({ name: STEADY })
const hostile = await punctual.tenants.create({ name: HOSTILE })
await declareJobs(steady.id)
await storePayloads()
await storeRows(hostile.id)
const made: Keys = {
  hostileId: hostile.id,
  steady: {
    submit: (await keysOf(STEADY, 'submit', 1)).join(),
    worker: (await keysOf(STEADY, 'worker', 1)).join(),
  },
  hostile: {
    read: await keysOf(HOSTILE, 'read', keys),
    submit: await keysOf(HOSTILE, 'submit', keys),
    worker: await keysOf(HOSTILE, 'worker', keys),
    admin: await keysOf(HOSTILE, 'admin', keys),
  },
}
await punctual.stop()
process.send?.(made, () => process.disconnect())
