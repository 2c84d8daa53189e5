/**
 * The secrets that a command was given. The log redacts a value within a line; a value of several
 * lines, such as a key, would escape it, because each line is logged alone.
 */
import type { Call } from '../executor.ts'

/** Shorter lines would also match unrelated text. */
const LINE_MIN = 8

export class KnownSecrets {
  readonly #values = new Set<string>()
  #lines: string[] = []

  get values(): readonly string[] {
    return [...this.#values]
  }

  /** The call with which the placeholders of a target are filled in. */
  watch(call: Call): Call {
    const secret = async (name: string) => {
      const value = await call.secret(name)
      this.#values.add(value)
      this.#lines = [...this.#values]
        .flatMap((each) => (each.includes('\n') ? each.split('\n') : []))
        .map((line) => line.trim())
        .filter(({ length }) => length >= LINE_MIN)
      return value
    }
    return { ...call, secret }
  }

  /** Removes the lines of secrets that have several. */
  readonly without = (text: string): string => {
    let clean = text
    for (const line of this.#lines) clean = clean.replaceAll(line, '[redacted]')
    return clean
  }
}
