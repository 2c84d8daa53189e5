/** Watches one run and tells each thing that happens to it once, from what the database says. */
import { type Attempt, type FinishedRun, isFinal, type Run } from '@punctual/core/run'
import type { Narrator } from './narrator.ts'

const OUTPUT_MAX = 60

export class RunWatch {
  readonly id: string
  readonly #narrator: Narrator
  #told = 0
  #running = 0
  #ended: FinishedRun | null = null

  constructor(id: string, narrator: Narrator) {
    this.id = id
    this.#narrator = narrator
  }

  /** The run, once it has ended. */
  get ended(): FinishedRun | null {
    return this.#ended
  }

  see(run: Run): void {
    const earlier = isFinal(run.state) ? run.attempts.slice(0, -1) : run.attempts
    for (const attempt of earlier.slice(this.#told)) this.#tellRetry(run, attempt)
    this.#told = Math.max(this.#told, earlier.length)
    if ('finishedAt' in run) this.#tellEnd(run)
    else if (run.state === 'running' && this.#running <= run.attempts.length) {
      this.#running = run.attempts.length + 1
      this.#tell(run, 'running', run.claimedAt, this.#running, 'a worker has it')
    }
  }

  #tell(
    run: Run,
    word: Parameters<Narrator['event']>[0]['word'],
    at: Date,
    attempt: number,
    message: string,
  ): void {
    const tries = attempt > 0 ? { attempt: `${attempt}/${run.maxAttempts}` } : {}
    this.#narrator.event({ at, word, handler: run.handler, runId: run.id, ...tries, message })
  }

  #tellRetry(run: Run, { attempt, outcome, endedAt, error }: Attempt): void {
    const next = 'nextAt' in run ? run.nextAt : null
    const inMs = next ? next.getTime() - endedAt.getTime() : 0
    const why = (error?.message ?? 'it ended').replace(/\.$/, '')
    const again = inMs > 0 ? `; again in ${(inMs / 1_000).toFixed(1)} s` : ''
    this.#tell(run, outcome, endedAt, attempt, `${why}${again}`)
  }

  #tellEnd(run: FinishedRun): void {
    if (this.#ended) return
    this.#ended = run
    this.#tell(run, run.state, run.finishedAt, run.attempts.length, endMessage(run))
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
