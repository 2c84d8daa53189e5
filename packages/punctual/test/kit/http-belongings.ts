/**
 * One object of every kind for a tenant, each with a word that no other tenant may ever receive.
 */
import { NonRetryableError } from 'punctual'
import type { HttpKit } from './http-kit.ts'

/** Contained in everything of the tenant except the names used in addresses. */
export const SECRET_WORD = 'quince-marmalade'

export interface Belongings {
  readonly tenantId: number
  /** Ids and names for addresses, by their description in this test. */
  readonly ids: Readonly<Record<string, string>>
}

export async function belongingsOf(http: HttpKit, tenantName: string): Promise<Belongings> {
  const { punctual } = http
  const { id: tenantId } = (await punctual.tenants.get(tenantName)) as { id: number }
  const tenant = punctual.tenant(tenantId)
  const labels = { of: SECRET_WORD }
  const payload = { word: SECRET_WORD }
  punctual.handler('doomed', () => {
    throw new NonRetryableError(SECRET_WORD)
  })
  const job = await tenant.jobs.upsert({
    ...{
      name: 'their-job',
      handler: 'nobody-home',
      cron: '0 0 1 1 *',
      payload,
      labels,
      description: SECRET_WORD,
    },
  })
  await tenant.jobs.calendars.set('their-calendar', { exclude: ['2035-01-01'] })
  const call = { queue: 'their-queue', labels }
  const queued = await tenant.submit('nobody-home', payload, { ...call, key: 'their-key' })
  const later = await tenant.submit('nobody-home', payload, { ...call, delayMs: 86_400_000 })
  const dead = await tenant.submit('doomed', payload, call)
  await tenant.runs.waitFor(dead.id)
  const group = await tenant.groups.submit({
    ...{ name: SECRET_WORD, runs: [{ handler: 'nobody-home', payload }], open: true },
  } as never)
  await tenant.queues.pause('their-queue', { note: SECRET_WORD })
  const session = '4611686018427387904'
  await punctual.store.work.openSession({
    ...{ id: session, tenantId, host: SECRET_WORD, pid: 1, version: '0', handlers: [] },
    ...{ queues: [], labels: {}, capacity: 1, leaseMs: 3_600_000 },
  })
  const key = await punctual.apiKeys.create({
    ...{ name: SECRET_WORD, tenant: tenantName, scopes: ['read'] },
  })
  return {
    tenantId,
    ids: {
      ...{ 'a job': job.id, 'a name of a job': 'their-job', 'a run that waits': queued.id },
      ...{ 'a run for later': later.id, 'a dead run': dead.id, 'a group': group.id },
      ...{ 'a queue': 'their-queue', 'a calendar': 'their-calendar', 'an API key': key.id },
      ...{ 'a key of a run': 'their-key', 'a tenant': tenantName, 'its number': String(tenantId) },
      'a session': session,
    },
  }
}

/** A digest of every table's rows of this tenant, by table. */
export async function digestOf(http: HttpKit, tenantId: number): Promise<Record<string, string>> {
  const client = await http.punctual.store.database.connect()
  const tables = await client.query(
    `select c.relname from pg_attribute a
     join pg_class c on c.oid = a.attrelid
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'punctual' and a.attname = 'tenant_id' and not a.attisdropped
       and c.relkind in ('r', 'p') and not c.relispartition
     order by 1`,
  )
  const names = tables.rows.map(({ relname }) => String(relname))
  const digests = names.map(
    (name) => `select '${name}' as name,
      count(*) || ' rows ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
      from punctual.${name} t where tenant_id = ${tenantId}`,
  )
  const { rows } = await client.query(digests.join(' union all '))
  await client.end()
  return Object.fromEntries(rows.map(({ name, digest }) => [String(name), String(digest)]))
}
