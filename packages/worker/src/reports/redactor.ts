/**
 * Removes the values of secrets that a run has read from everything that is stored about the run:
 * as plain text and in the encodings in which they usually leave a program: JSON escapes, base64
 * (also inside a longer text, as in `Basic …`), hexadecimal, and URL or form encoding.
 *
 * It works on text. A value that the handler splits, reverses or hashes is not recognised.
 */
const REDACTED = '[redacted]'

/** Shorter encodings would also match unrelated text. */
const FORM_MIN = 8
/** A value that is cut off at the end of a truncated text is recognised by this many characters. */
const REST_MIN = 4
const CUT_OFF = /… \(truncated\)$/

/**
 * The base64 characters that depend only on the value, for each of the three positions at which it
 * can begin in a group of three bytes: the first and the last characters of an encoding may depend
 * on the neighbouring text.
 */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const sure = Math.floor(((offset + bytes.length) * 8) / 6)
    return text.slice(offset === 0 ? 0 : offset + 1, sure)
  })
}

function urlForms(value: string): string[] {
  const encoded = encodeURIComponent(value.toWellFormed())
  // The stricter encoding of forms and other programs.
  const strict = encoded.replace(
    /[!'()*~]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())
  const all = [encoded, strict, encoded.replaceAll('%20', '+'), strict.replaceAll('%20', '+')]
  return [...all, ...all.map(lower)]
}

/** All recognised encodings of a value, the longest first. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const cores = base64Cores(bytes)
  const url = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'))
  const hex = bytes.toString('hex')
  const json = JSON.stringify(value).slice(1, -1)
  const twice = JSON.stringify(json).slice(1, -1)
  const all = [value, json, twice, ...cores, ...url, ...urlForms(value), hex, hex.toUpperCase()]
  return [...new Set(all)]
    .filter(({ length }) => length >= FORM_MIN)
    .sort((a, b) => b.length - a.length)
}

export class Redactor {
  readonly #values = new Set<string>()
  #forms: string[] = []

  add(value: string): void {
    if (this.#values.has(value)) return
    this.#values.add(value)
    // The encodings of all values are sorted together: a long one is removed before a short one
    // that is part of it.
    this.#forms = [...this.#forms, ...formsOf(value)].sort((a, b) => b.length - a.length)
  }

  text(text: string): string {
    let clean = text
    for (const form of this.#forms) clean = clean.replaceAll(form, REDACTED)
    return CUT_OFF.test(clean) ? this.#withoutRest(clean) : clean
  }

  /** The end of a truncated text may be the beginning of a value. */
  #withoutRest(text: string): string {
    const end = text.search(CUT_OFF)
    for (const form of this.#forms)
      for (let length = Math.min(form.length - 1, end); length >= REST_MIN; length--)
        if (text.startsWith(form.slice(0, length), end - length))
          return text.slice(0, end - length) + REDACTED + text.slice(end)
    return text
  }

  /** Redacts the strings and the names of a JSON text. */
  json(json: string): string {
    return JSON.stringify(this.#value(JSON.parse(json)))
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') {
      const text = this.text(String(value))
      return text === String(value) ? value : text
    }
    if (Array.isArray(value)) return value.map((item) => this.#value(item))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).map(([name, member]) => [
      this.text(name),
      this.#value(member),
    ])
    return Object.fromEntries(members)
  }
}
