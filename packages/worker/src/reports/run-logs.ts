/**
 * Collects log lines of running attempts and appends them in batches: after one second, at a
 * thousand lines, and before the attempt is settled, so that the log of a finished run is complete.
 * The size is bounded for each run over all its attempts, and for all lines that wait to be stored.
 * Lines beyond a bound are dropped, and one line in each attempt says so.
 */
import { encodeJson } from '@punctual/core/check'
import type { Clock } from '@punctual/core/clock'
import { failureFrom, limits, storableText } from '@punctual/core/errors'
import type { ClaimedRun, LogEntry, WorkStore } from '@punctual/core/ports'
import type { RunLog } from '../handler/handler.ts'

const FLUSH_MS = 1_000
const FLUSH_LINES = 1_000
const BUFFER_LINES_MAX = 50_000
const MISSING = 'Lines are missing from here: too many were waiting to be stored.'
/** The size of a line besides its texts; sum-logs.sql uses the same number. */
const LINE_BYTES = 50

/**
 * The bytes that earlier attempts have used of a run's log; null until read. The first attempt need
 * not read it.
 */
interface Spent {
  bytes: number | null
  /** The tenant of the run, and the size that its log may have; null until read. */
  readonly tenantId: number
  most: number | null
}

interface Line extends Omit<LogEntry, 'agoMs'> {
  readonly atMs: number
  readonly spent: Spent
  /** The bytes of this attempt without and with the line. */
  readonly fromBytes: number
  readonly toBytes: number
}

/** Removes secrets from a line. */
interface Redacted {
  text(text: string): string
  json(json: string): string
}

const none = () => undefined

type LogStore = Pick<WorkStore, 'appendLogs' | 'logBytes' | 'logBytesMax'>

export class RunLogs {
  readonly #store: LogStore
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  #lines: Line[] = []
  #flushing: Promise<void> = Promise.resolve()
  /** Lines that are being stored. */
  #storing = 0
  #scheduled = false

  constructor(store: LogStore, clock: Clock, onError: (error: unknown) => void) {
    this.#store = store
    this.#clock = clock
    this.#onError = onError
  }

  /** Opens the log of one attempt. */
  open(
    { id: runId, tenantId }: Pick<ClaimedRun, 'id' | 'tenantId'>,
    attempt: number,
    redacted: () => Redacted | undefined = none,
  ): RunLog {
    let seq = 0
    let bytes = 0
    let missing = false
    const spent: Spent = { bytes: attempt > 1 ? null : 0, tenantId, most: null }
    const write = (level: number, message: string, data?: unknown) => {
      if (bytes > (spent.most ?? limits.logBytesPerRun)) return
      // The store is unreachable or too slow: the first line that is dropped becomes the mark.
      if (this.#lines.length + this.#storing >= BUFFER_LINES_MAX) {
        if (missing) return
        ;[missing, level, message, data] = [true, 2, MISSING, undefined]
      } else missing = false
      const hide = redacted()
      const plain = safeText(message)
      const text = storableText(hide?.text(plain) ?? plain, limits.logMessageLength)
      const shown = data === undefined ? null : safeJson(data)
      const json = shown === null ? null : (hide?.json(shown) ?? shown)
      const fromBytes = bytes
      bytes += LINE_BYTES + Buffer.byteLength(text) + (json === null ? 0 : Buffer.byteLength(json))
      this.#add({
        runId,
        attempt,
        seq: seq++,
        level,
        atMs: this.#clock.monotonicMs(),
        message: text,
        data: json,
        spent,
        fromBytes,
        toBytes: bytes,
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
    this.#lines.push(line)
    if (this.#lines.length === FLUSH_LINES) void this.flush()
    else if (!this.#scheduled) {
      this.#scheduled = true
      void this.#clock.sleep(FLUSH_MS).then(() => this.flush())
    }
  }

  /** Whether some lines are not stored yet. */
  get pending(): boolean {
    return this.#lines.length + this.#storing > 0
  }

  /** Resolves when all lines written before the call are stored, or have failed to be stored. */
  flush(): Promise<void> {
    this.#scheduled = false
    const lines = this.#lines
    if (lines.length === 0) return this.#flushing
    this.#lines = []
    this.#storing += lines.length
    this.#flushing = this.#flushing.then(async () => {
      for (let i = 0; i < lines.length; i += FLUSH_LINES) {
        const some = lines.slice(i, i + FLUSH_LINES)
        await this.#append(some)
        this.#storing -= some.length
      }
    })
    return this.#flushing
  }

  async #append(lines: readonly Line[]): Promise<void> {
    try {
      await this.#readSpent(lines)
      const nowMs = this.#clock.monotonicMs()
      const entries = lines.flatMap((line) => withinLimit(line, nowMs) ?? [])
      if (entries.length > 0) await this.#store.appendLogs(entries)
    } catch (error) {
      this.#onError(error)
    }
  }

  async #readSpent(lines: readonly Line[]): Promise<void> {
    if (this.#store.logBytesMax)
      for (const { spent } of lines) spent.most ??= await this.#store.logBytesMax(spent.tenantId)
    const unread = new Map<Spent, string>()
    for (const { runId, spent } of lines) if (spent.bytes === null) unread.set(spent, runId)
    if (unread.size === 0) return
    const bytes = await this.#store.logBytes([...new Set(unread.values())])
    for (const [spent, runId] of unread) spent.bytes = bytes.get(runId) ?? 0
  }
}

/**
 * The line to store: the line itself, the mark when the log becomes full, or nothing after that.
 */
function withinLimit(line: Line, nowMs: number): LogEntry | null {
  const { runId, attempt, seq, level, message, data, spent, fromBytes, toBytes, atMs } = line
  const before = spent.bytes ?? 0
  const most = spent.most ?? limits.logBytesPerRun
  const entry = { runId, attempt, seq, agoMs: nowMs - atMs }
  if (before + toBytes <= most) return { ...entry, level, message, data }
  // The first line that does not fit becomes the mark; so does the first line of an attempt that
  // finds the log full.
  if (fromBytes > 0 && before + fromBytes > most) return null
  const mark = `The log of this run has reached ${most} bytes; further lines of this attempt are dropped.`
  return { ...entry, level: 2, message: mark, data: null }
}

/**
 * Encodes any logged value as JSON: errors by their fields, and a placeholder for values that
 * cannot be encoded.
 */
export function safeJson(data: unknown): string {
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

export function safeText(message: unknown): string {
  try {
    return String(message)
  } catch {
    return 'a message that cannot be shown'
  }
}
