/**
 * Compiles the options of submissions. Submissions without options, which are most, share one
 * compiled object per handler: the store looks up the lane of runs with the same object once, and
 * inserts them with one statement.
 */
import { type CompiledOptions, compileOptions, type SubmitOptions } from '@punctual/core/submit'
import type { Target } from '@punctual/core/target'

const HANDLERS_MAX = 1_000

export class SubmissionCompiler {
  readonly #plain = new Map<string, CompiledOptions>()

  /** `handler`: the name of a handler, or another target. */
  compile(handler: string | Target, options: SubmitOptions = {}): CompiledOptions {
    if (typeof handler !== 'string' || !isEmpty(options)) return compileOptions(handler, options)
    const known = this.#plain.get(handler)
    if (known) return known
    const compiled = compileOptions(handler, options)
    if (this.#plain.size < HANDLERS_MAX) this.#plain.set(handler, compiled)
    return compiled
  }
}

function isEmpty(options: unknown): boolean {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return false
  for (const _ in options) return false
  return true
}
