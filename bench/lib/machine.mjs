/** Describes the machine, without its name. */
import { availableParallelism, cpus, totalmem } from 'node:os'

export async function describeMachine(bench) {
  const { rows } = await bench.admin.query('show server_version')
  const { rows: durable } = await bench.admin.query(
    `select string_agg(name || ' ' || setting, ', ' order by name) as text from pg_settings
     where name in ('fsync', 'synchronous_commit', 'full_page_writes')`,
  )
  return {
    date: new Date().toISOString().slice(0, 10),
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    postgres: rows[0].server_version.split(' ')[0],
    durability: durable[0].text,
    redis: bench.redis ? 'appendonly yes, appendfsync everysec' : 'absent',
    node: process.version,
  }
}

export const machineLine = (m) =>
  `${m.date} · ${m.cores} cores (${m.cpu}), ${m.memoryGb} GB, shared by server and clients · ` +
  `PostgreSQL ${m.postgres} (${m.durability}) · Node ${m.node} · Redis ${m.redis}`
