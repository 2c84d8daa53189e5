/** The jobs, lanes and names of a generated history. */
const LIBRARY = new URL('../../packages/punctual/dist/index.js', import.meta.url)

export const HANDLERS = ['mail', 'report', 'charge', 'resize', 'crawl', 'sync', 'export', 'noop']
export const QUEUES = ['default', 'bulk', 'slow']

/** The jobs are paused, so that the planner adds nothing to the generated history. */
export async function registerJobs(databaseUrl, count) {
  const { Punctual } = await import(LIBRARY.href)
  const punctual = await Punctual.start({ databaseUrl, roles: [], logger: false })
  try {
    const jobs = Array.from({ length: count }, (_, i) => ({
      name: jobName(i),
      handler: HANDLERS[i % HANDLERS.length],
      queue: QUEUES[i % QUEUES.length],
      cron: `${i % 60} * * * *`,
      labels: { team: `team-${i % 7}` },
    }))
    await punctual.jobs.upsertMany(jobs)
    for (const { name } of jobs) await punctual.jobs.pause(name)
  } finally {
    await punctual.stop()
  }
}

export function jobName(i) {
  return `history-${String(i).padStart(4, '0')}`
}

/** One lane for each handler and queue; temporary tables number the lanes and jobs. */
export async function insertLanes(client) {
  await client.query(
    `insert into punctual.lanes (tenant_id, queue, handler, priority)
     select 1, q, h, 5 from unnest($1::text[]) q, unnest($2::text[]) h on conflict do nothing`,
    [QUEUES, HANDLERS],
  )
  await client.query(
    `create temporary table history_lanes as
     select id as lane, (row_number() over (order by id) - 1)::integer as n from punctual.lanes where tenant_id = 1`,
  )
  await client.query(
    `create temporary table history_jobs as
     select id as job_id, lane, (row_number() over (order by name) - 1)::integer as n from punctual.jobs`,
  )
  await client.query('analyze history_lanes; analyze history_jobs')
}
