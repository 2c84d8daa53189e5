/** Polls one run and reports each of its events once. */
import { type Attempt, type FinishedRun, isFinal, type Run } from '@punctual/core/run'
import type { Narrator } from './narrator.ts'

const OUTPUT_MAX = 60

export class RunWatch {
  readonly id: string
  readonly #narrator: Narrator
  #reported = 0
  #running = 0
  #ended: FinishedRun | null = null

  constructor(id: string, narrator: Narrator) {
    this.id = id
    this.#narrator = narrator
  }

  /** The run once it has ended; null before. */
  get ended(): FinishedRun | null {
    return this.#ended
  }

  see(run: Run): void {
    const earlier = isFinal(run.state) ? run.attempts.slice(0, -1) : run.attempts
    for (const attempt of earlier.slice(this.#reported)) this.#reportRetry(run, attempt)
    this.#reported = Math.max(this.#reported, earlier.length)
    if ('finishedAt' in run) this.#reportEnd(run)
    else if (run.state === 'running' && this.#running <= run.attempts.length) {
      this.#running = run.attempts.length + 1
      this.#report(run, 'running', run.claimedAt, this.#running, 'a worker claimed it')
    }
  }

  #report(
    run: Run,
    word: Parameters<Narrator['event']>[0]['word'],
    at: Date,
    attempt: number,
    message: string,
  ): void {
    const tries = attempt > 0 ? { attempt: `${attempt}/${run.maxAttempts}` } : {}
    this.#narrator.event({ at, word, handler: run.handler, runId: run.id, ...tries, message })
  }

  #reportRetry(run: Run, { attempt, outcome, endedAt, error }: Attempt): void {
    const next = 'nextAt' in run ? run.nextAt : null
    const inMs = next ? next.getTime() - endedAt.getTime() : 0
    const why = (error?.message ?? 'the attempt ended').replace(/\.$/, '')
    const retry = inMs > 0 ? `; retry in ${(inMs / 1_000).toFixed(1)} s` : ''
    this.#report(run, outcome, endedAt, attempt, `${why}${retry}`)
  }

  #reportEnd(run: FinishedRun): void {
    if (this.#ended) return
    this.#ended = run
    this.#report(run, run.state, run.finishedAt, run.attempts.length, endMessage(run))
  }
}

function endMessage(run: FinishedRun): string {
  if (run.state === 'succeeded') {
    const tookMs = run.startedAt ? run.finishedAt.getTime() - run.startedAt.getTime() : 0
    const late = run.attempts.length === 1 ? `, ${Math.max(0, run.latenessMs ?? 0)} ms late` : ''
    const output = JSON.stringify(run.output)
    const shown = output.length > OUTPUT_MAX ? `${output.slice(0, OUTPUT_MAX)}…` : output
    return `${shown} (took ${tookMs} ms${late})`
  }
  return run.error?.message ?? run.reason ?? ''
}
