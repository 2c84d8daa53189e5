/** What the doctor says of one thing: found, what that means, and what to do about it. */
export type Level = 'ok' | 'warn' | 'fail'

export interface Finding {
  readonly check: string
  readonly level: Level
  readonly found: string
  readonly meaning: string
  /** What to do; empty when there is nothing to be done. */
  readonly advice: string
}

export function ok(check: string, found: string, meaning: string): Finding {
  return { check, level: 'ok', found, meaning, advice: '' }
}

export function warn(check: string, found: string, meaning: string, advice: string): Finding {
  return { check, level: 'warn', found, meaning, advice }
}

export function fail(check: string, found: string, meaning: string, advice: string): Finding {
  return { check, level: 'fail', found, meaning, advice }
}

/** Columns of one row by name; every value is text. */
export type Facts = Readonly<Record<string, string | null>>
