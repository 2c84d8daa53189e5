/**
 * The steady tenant: submissions at an even pace over HTTP, and remote workers that run them and the
 * per-second jobs. Lateness counts from the instant at which a submission was to be sent, so that a
 * slow answer of the API is lateness as well.
 */
import { createClient } from '@punctual/client'
import { RemoteWorker } from 'punctual'
import { libraryOptions, readSettings } from '../../plan/child-settings.ts'
import { answerQuestions } from '../plan/answer-questions.ts'
import { LatenessLog, type Window } from '../plan/lateness-log.ts'
import { RequestLog } from '../plan/request-log.ts'
import { type Keys, SHARED_SHARE, type SteadyPayload } from '../plan/tenants.ts'

const settings = readSettings()
const { servers = [], more } = settings
const { keys, workers, perSecond } = more as { keys: Keys; workers: number; perSecond: number }
const REQUESTS_PER_SECOND = 4

const lateness = new LatenessLog()
const requests = new RequestLog()
const client = createClient({ url: servers, apiKey: keys.steady.submit, timeoutMs: 10_000 })
const { worker, logger } = libraryOptions(settings)

for (let i = 0; i < workers; i++) {
  // Each worker prefers another node.
  const order = [...servers.slice(i % servers.length), ...servers.slice(0, i % servers.length)]
  const remote = RemoteWorker.start({
    ...{ server: order, apiKey: keys.steady.worker },
    ...(worker && { worker }),
    ...(logger !== undefined && { logger }),
  })
  remote.handler('remote', (payload: SteadyPayload | null, ctx) =>
    lateness.add(payload?.wantedMs ?? ctx.dueAt.getTime()),
  )
}

const submitted: number[] = []
let number = 0

async function submit(wantedMs: number): Promise<void> {
  const runs = Array.from({ length: perSecond / REQUESTS_PER_SECOND }, () => ({
    handler: ++number % SHARED_SHARE === 0 ? 'shared' : 'remote',
    payload: { wantedMs },
  }))
  submitted.push(...runs.map(() => wantedMs))
  await client.runs.submitMany(runs).catch((error: Error & { code?: string }) => {
    requests.gaveUp(`submission: ${error.code ?? error.message}`)
  })
}

// By the clock instead of by the number of ticks: a busy machine must not thin the load out.
let nextMs = Date.now()
setInterval(() => {
  for (; nextMs <= Date.now(); nextMs += 1_000 / REQUESTS_PER_SECOND) void submit(nextMs)
}, 10)

answerQuestions({
  figures: (window: Window) => ({
    lateness: lateness.within(window),
    submitted: submitted.filter((ms) => ms >= window.fromMs && ms < window.untilMs).length,
    requests: requests.within(window),
  }),
  hold: async () => (await client.runs.submit({ handler: 'held', max_attempts: 10 })).id,
})
