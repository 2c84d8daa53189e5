/**
 * A campaign process that migrates the schema, declares the jobs and exits. Without jobs it creates
 * the API keys and sends them to its parent.
 */
import { type JobOptions, Punctual } from 'punctual'
import { type ChaosKeys, libraryOptions, readSettings } from '../plan/child-settings.ts'
import { type ChaosJob, type ChaosPayload, crowds } from '../plan/workload.ts'

const settings = readSettings()
const { jobs } = settings.more as { jobs: readonly ChaosJob[] }

function declared({ name, kind, everyMs, anchorMs, endMs, cron, overlap }: ChaosJob): JobOptions {
  const payload: ChaosPayload = { kind, ask: null, job: name, takesMs: 20, throwsUntil: 0 }
  return {
    name,
    handler: kind,
    payload,
    ...(cron === null ? { every: everyMs } : { cron }),
    startAt: anchorMs,
    endAt: endMs,
    overlap,
    misfire: 'all',
    maxAttempts: 10,
    retry: { backoff: { kind: 'fixed', delayMs: 300 } },
  }
}

async function makeKeys(): Promise<ChaosKeys> {
  const make = async (scope: 'submit' | 'worker') => {
    const options = { name: `chaos-${scope}`, tenant: 'default', scopes: [scope] }
    return (await punctual.apiKeys.create(options)).key
  }
  return { submit: await make('submit'), worker: await make('worker') }
}

const punctual = await Punctual.start({ ...libraryOptions(settings), migrate: true, roles: [] })
for (const { name, limit } of crowds.filter(({ by }) => by === 'queue'))
  await punctual.limits.set({ queue: name, concurrency: limit })
if (jobs.length > 0) await punctual.jobs.upsertMany(jobs.map(declared))
else process.send?.({ keys: await makeKeys() })
await punctual.stop()
process.disconnect?.()
