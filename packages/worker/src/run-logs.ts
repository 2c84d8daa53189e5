/**
 * Collects log lines of running attempts and appends them in batches: after a second, at a thousand lines,
 * and before the attempt is settled, so that a finished run's log is complete. Bounded for each run; what
 * is beyond the bound is dropped with one line that says so.
 */
import {
  type Clock,
  encodeJson,
  failureFrom,
  type LogEntry,
  limits,
  storableText,
  type WorkStore,
} from '@punctual/core'
import type { RunLog } from './handler.ts'

const FLUSH_MS = 1_000
const FLUSH_LINES = 1_000
const BUFFER_LINES_MAX = 50_000

interface Line extends Omit<LogEntry, 'agoMs'> {
  readonly atMs: number
}

export class RunLogs {
  readonly #store: Pick<WorkStore, 'appendLogs'>
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  #lines: Line[] = []
  #flushing: Promise<void> = Promise.resolve()
  #scheduled = false

  constructor(
    store: Pick<WorkStore, 'appendLogs'>,
    clock: Clock,
    onError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#clock = clock
    this.#onError = onError
  }

  /** The log of one attempt. */
  open(runId: string, attempt: number): RunLog {
    let seq = 0
    let bytes = 0
    const write = (level: number, message: string, data?: unknown) => {
      if (bytes > limits.logBytesPerRun) return
      const text = storableText(safeText(message), limits.logMessageLength)
      const json = data === undefined ? null : safeJson(data)
      bytes += text.length + (json?.length ?? 0) + 50
      const full = bytes > limits.logBytesPerRun
      this.#add({
        runId,
        attempt,
        seq: seq++,
        level: full ? 2 : level,
        atMs: this.#clock.monotonicMs(),
        message: full
          ? `The log of this run reached ${limits.logBytesPerRun} bytes; the rest is dropped.`
          : text,
        data: full ? null : json,
      })
    }
    return {
      debug: (message, data) => write(0, message, data),
      info: (message, data) => write(1, message, data),
      warn: (message, data) => write(2, message, data),
      error: (message, data) => write(3, message, data),
    }
  }

  #add(line: Line): void {
    if (this.#lines.length >= BUFFER_LINES_MAX) return
    this.#lines.push(line)
    if (this.#lines.length === FLUSH_LINES) void this.flush()
    else if (!this.#scheduled) {
      this.#scheduled = true
      void this.#clock.sleep(FLUSH_MS).then(() => this.flush())
    }
  }

  get pending(): boolean {
    return this.#lines.length > 0
  }

  /** Resolves when everything written before the call is stored, or has failed to be. */
  flush(): Promise<void> {
    this.#scheduled = false
    const lines = this.#lines
    if (lines.length === 0) return this.#flushing
    this.#lines = []
    this.#flushing = this.#flushing.then(async () => {
      for (let i = 0; i < lines.length; i += FLUSH_LINES)
        await this.#append(lines.slice(i, i + FLUSH_LINES))
    })
    return this.#flushing
  }

  async #append(lines: readonly Line[]): Promise<void> {
    const nowMs = this.#clock.monotonicMs()
    try {
      await this.#store.appendLogs(
        lines.map(({ atMs, ...line }) => ({ ...line, agoMs: nowMs - atMs })),
      )
    } catch (error) {
      this.#onError(error)
    }
  }
}

/** Whatever was logged, as JSON: errors as what they say, what cannot be shown as that it cannot. */
function safeJson(data: unknown): string {
  try {
    return encodeJson(data, 'data', limits.logMessageLength)
  } catch {
    return lenientJson(data)
  }
}

function lenientJson(data: unknown): string {
  const show = (_: string, value: unknown) => {
    if (value instanceof Error) return failureFrom(value)
    return typeof value === 'bigint' ? value.toString() : value
  }
  try {
    return encodeJson(
      JSON.parse(JSON.stringify(data, show) ?? 'null'),
      'data',
      limits.logMessageLength,
    )
  } catch (error) {
    return JSON.stringify({ unloggable: storableText(String((error as Error).message), 500) })
  }
}

function safeText(message: unknown): string {
  try {
    return String(message)
  } catch {
    return 'a message that cannot be shown'
  }
}
