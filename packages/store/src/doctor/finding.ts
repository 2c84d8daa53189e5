/** One finding of the doctor: what was checked, what was found, what that means and what to do. */
export type Level = 'ok' | 'warn' | 'fail'

export interface Finding {
  readonly check: string
  readonly level: Level
  readonly found: string
  readonly meaning: string
  /** Empty when the level is `ok`: there is nothing to do. */
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
