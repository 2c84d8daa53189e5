/**
 * Runs the sample: submits its runs, reports their events, summarises, then lets a job fire for ten
 * minutes.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { FinishedRun } from '@punctual/core/run'
import type { Punctual } from '../punctual.ts'
import type { Narrator } from './narrator.ts'
import { type Scene, story } from './story.ts'
import { RunWatch } from './watch-run.ts'

const POLL_MS = 100
const STORY_MAX_MS = 60_000
const JOB = {
  name: 'heartbeat',
  handler: 'heartbeat',
  cron: '*/10 * * * * *',
  misfire: 'none',
} as const
const JOB_FOR_MS = 600_000
const JOB_POLL_MS = 500

export interface SampleOptions {
  readonly narrator: Narrator
  readonly signal: AbortSignal
  /** Returns a complete shell command that uses this database. */
  readonly cli: (command: string) => string
}

export async function runSample(punctual: Punctual, options: SampleOptions): Promise<void> {
  const { narrator, signal } = options
  try {
    await greet(punctual, narrator)
    await playStory(punctual, options)
    await followJob(punctual, narrator, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function greet(punctual: Punctual, narrator: Narrator): Promise<void> {
  const limit = 1_000
  const before = (await punctual.runs.list({ limit })).length
  if (before === 0) return
  const count = before === limit ? `more than ${limit - 1}` : String(before)
  narrator.say([`Found ${count} ${before === 1 ? 'run' : 'runs'} from earlier.`, ''], { before })
}

async function submitScene(
  punctual: Punctual,
  narrator: Narrator,
  scene: Scene,
): Promise<RunWatch> {
  const { handler, message, payload = null, options, thenCancel } = scene
  const { id } = await punctual.submit(handler, payload, options)
  narrator.event({ at: new Date(), word: 'submitted', handler, runId: id, message })
  if (thenCancel) await punctual.runs.cancel(id, 'no longer needed')
  return new RunWatch(id, narrator)
}

async function playStory(punctual: Punctual, options: SampleOptions): Promise<void> {
  const { narrator, signal } = options
  const startedMs = performance.now()
  narrator.say([`Sample: ${story.length} runs that succeed, fail, retry and die.`, ''])
  const watches: RunWatch[] = []
  for (const scene of story) watches.push(await submitScene(punctual, narrator, scene))
  while (performance.now() - startedMs < STORY_MAX_MS) {
    const open = watches.filter((watch) => watch.ended === null)
    if (open.length === 0) break
    await delay(POLL_MS, undefined, { signal })
    for (const watch of open) {
      const run = await punctual.runs.get(watch.id)
      if (run) watch.see(run)
    }
  }
  const ended = watches.flatMap((watch) => watch.ended ?? [])
  sumUp(options, ended, performance.now() - startedMs)
}

function sumUp({ narrator, cli }: SampleOptions, ended: readonly FinishedRun[], tookMs: number) {
  const counts = new Map<string, number>()
  for (const { state } of ended) counts.set(state, (counts.get(state) ?? 0) + 1)
  const retries = ended.reduce((sum, run) => sum + Math.max(0, run.attempts.length - 1), 0)
  const words = [...counts].map(([state, count]) => `${count} ${state}`).join(', ')
  const dead = ended.find((run) => run.state === 'dead' && run.attempts.length > 1)
  narrator.say(
    [
      '',
      `Summary: ${words}, ${retries} retries, in ${(tookMs / 1_000).toFixed(1)} s.`,
      'Try these commands in another terminal:',
      `  ${cli('runs list')}`,
      ...(dead ? [`  ${cli(`runs show ${dead.id}`)}`] : []),
      `  ${cli(`submit welcome-email '{"to":"you@example.com"}' --wait`)}`,
      `  ${cli(`jobs slots ${JOB.name}`)}`,
      `For the next ten minutes the job ${JOB.name} fires on the schedule ${JOB.cron}.`,
      '',
    ],
    { ...Object.fromEntries(counts), retries },
  )
}

/**
 * Reports the runs of the job. The job ends by itself, so that a later start without the sample is
 * not affected.
 */
async function followJob(punctual: Punctual, narrator: Narrator, signal: AbortSignal) {
  const { name } = JOB
  const endAt = new Date(Date.now() + JOB_FOR_MS)
  let from = new Date()
  await punctual.jobs.upsert({ ...JOB, endAt })
  const open = new Set<RunWatch>()
  do {
    await delay(JOB_POLL_MS, undefined, { signal })
    for (const { slotAt, runId } of await punctual.jobs.slots(name, { from })) {
      from = new Date(slotAt.getTime() + 1)
      if (runId) open.add(new RunWatch(runId, narrator))
    }
    for (const watch of open) {
      const run = await punctual.runs.get(watch.id)
      if (run) watch.see(run)
      if (watch.ended) open.delete(watch)
    }
  } while (open.size > 0 || Date.now() < endAt.getTime() + JOB_POLL_MS)
}
