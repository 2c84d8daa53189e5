/** Translates options of the library into those of the API. */
import type { JobDefinition, NewRun } from '@punctual/client'
import type { JobOptions } from '@punctual/core/job'
import type { SubmitOptions } from '@punctual/core/submit'
import { wireNames } from './library-names.ts'
import { notOverHttp } from './not-over-http.ts'

type Common = Pick<SubmitOptions, 'retry' | 'delayMs' | 'createdBy'>

/** Drops `createdBy`, because the API key identifies the caller. */
function common<T extends Common>({ retry, delayMs, createdBy: _, ...rest }: T): object {
  return {
    ...(wireNames(rest) as object),
    ...(retry !== undefined && { retry_policy: wireNames(retry) }),
    ...(delayMs !== undefined && { delay: delayMs / 1_000 }),
  }
}

export function runToWire(handler: string, payload: unknown, options: SubmitOptions): NewRun {
  return { ...common(options), handler, payload }
}

export function jobToWire(options: JobOptions): JobDefinition {
  const { name: _, cron, every, everyAfterEnd, at, source, ...rest } = options
  if (source !== undefined) notOverHttp('--source')
  return {
    ...common(rest),
    ...(cron !== undefined && { schedule: cron }),
    ...(every !== undefined && { schedule: `every ${period(every)}` }),
    ...(everyAfterEnd !== undefined && { every_after_end: period(everyAfterEnd) }),
    ...(at !== undefined && { run_at: at instanceof Date ? at.toISOString() : String(at) }),
  }
}

function period(every: string | number): string {
  return typeof every === 'number' ? `${every}ms` : every
}
