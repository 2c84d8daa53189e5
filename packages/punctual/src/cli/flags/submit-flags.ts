/** The flags of `punctual submit`, as options of the library. */
import { runOptions, type SubmitOptions } from '@punctual/core/submit'
import { createdBy } from './created-by.ts'
import { parseDuration, parseInstant } from './durations.ts'
import { type FlagValues, optionsFrom } from './option-flags.ts'

export function submitOptions(flags: FlagValues, payloadBytes: number): SubmitOptions {
  const instant = (flag: string, text: string) => parseInstant(flag, text, Date.now())
  const reading = { instant, payloadBytes }
  const { runAt, ...others } = flags
  // A time from now is sent as a delay, because the database's clock measures it.
  if (typeof runAt !== 'string' || !runAt.startsWith('+') || flags.delay !== undefined)
    return { ...optionsFrom(runOptions, flags, reading), createdBy: createdBy() }
  const delayMs = parseDuration('--run-at', runAt.slice(1))
  return { ...optionsFrom(runOptions, others, reading), delayMs, createdBy: createdBy() }
}
