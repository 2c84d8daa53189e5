/**
 * Compiles the options of submissions. Submissions without options, which are most, share one
 * compiled object per handler: the store looks up the lane of runs with the same object once, and
 * inserts them with one statement.
 */
import { type CompiledOptions, compileOptions, type SubmitOptions } from '@punctual/core/submit'

const HANDLERS_MAX = 1_000

export class SubmissionCompiler {
  readonly #plain = new Map<string, CompiledOptions>()

  compile(handler: string, options: SubmitOptions = {}): CompiledOptions {
    if (!isEmpty(options)) return compileOptions(handler, options)
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
