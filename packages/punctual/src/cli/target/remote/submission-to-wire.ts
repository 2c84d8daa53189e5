/** Translates options of the library into those of the API. */
import type { JobDefinition, NewRun } from '@punctual/client'
import type { JobOptions } from '@punctual/core/job'
import type { SubmitOptions } from '@punctual/core/submit'
import { renamedTarget, type Target } from '@punctual/core/target'
import { snake, wireNames } from './library-names.ts'
import { notOverHttp } from './not-over-http.ts'

type Common = Pick<SubmitOptions, 'retry' | 'delayMs' | 'createdBy' | 'target'>

/** Drops `createdBy`, because the API key identifies the caller. */
function common<T extends Common>({ retry, delayMs, target, createdBy: _, ...rest }: T): object {
  return {
    ...(wireNames(rest) as object),
    ...(retry !== undefined && { retry_policy: wireNames(retry) }),
    ...(target !== undefined && { target: renamedTarget(target, snake) }),
    ...(delayMs !== undefined && { delay: delayMs / 1_000 }),
  }
}

/** `handler`: the name of a handler, or another target. */
export function runToWire(
  handler: string | Target,
  payload: unknown,
  options: SubmitOptions,
): NewRun {
  const isName = typeof handler === 'string'
  return {
    ...common(isName ? options : { ...options, target: handler }),
    ...(isName && { handler }),
    payload,
  }
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
