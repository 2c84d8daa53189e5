/**
 * Evidence that the product cannot touch. Every process appends lines to its own file, each with
 * one write to a descriptor opened for appending, so that a kill at any instant leaves whole lines.
 * Times are monotonic: all processes of a machine share that clock, and nothing steps it.
 */
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A handler began or ended. */
export interface EffectLine {
  readonly what: 'start' | 'end'
  readonly run: string
  readonly attempt: number
  /** The fence of the attempt, where a handler can see it. */
  readonly fence: string | null
  readonly ask: string | null
  readonly job: string | null
  readonly slotMs: number | null
  readonly dueMs: number
  readonly kind: string
  readonly process: string
  readonly pid: number
  readonly wallMs: number
  readonly monotonicMs: number
  readonly how?: 'returned' | 'threw'
}

/** A submission and how it ended; a line without an end may still have taken effect. */
export interface AskLine {
  readonly what: 'asked' | 'acknowledged' | 'refused' | 'indeterminate'
  readonly ask: string
  readonly kind: string
  readonly key: string | null
  /** The batch, for submissions sent in one request. */
  readonly batch?: string
  readonly run: string | null
  readonly created: boolean | null
  readonly error: string | null
  readonly process: string
  readonly monotonicMs: number
}

type Line = EffectLine | AskLine

const FILE = /\.ledger$/

/** The monotonic clock that all processes of this machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000
}

export class LedgerWriter {
  readonly #file: number

  constructor(directory: string, processName: string) {
    this.#file = openSync(join(directory, `${processName}-${process.pid}.ledger`), 'a')
  }

  append(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}

export interface Ledger {
  readonly effects: readonly EffectLine[]
  readonly asks: readonly AskLine[]
}

/** Reads the lines of all processes, ordered by time. */
export function readLedger(directory: string): Ledger {
  const effects: EffectLine[] = []
  const asks: AskLine[] = []
  for (const name of readdirSync(directory).filter((file) => FILE.test(file))) {
    for (const text of readFileSync(join(directory, name), 'utf8').split('\n')) {
      if (text === '') continue
      const line = JSON.parse(text) as Line
      if ('ask' in line && 'dueMs' in line) effects.push(line)
      else asks.push(line as AskLine)
    }
  }
  const byTime = (a: Line, b: Line) => a.monotonicMs - b.monotonicMs
  return { effects: effects.sort(byTime), asks: asks.sort(byTime) }
}
