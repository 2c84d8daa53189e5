/**
 * Takes the values of secrets that a run has read out of what is stored of it: as they are, and in the forms in which they
 * usually leave a program: escaped in JSON, in base64 (also in the middle of a longer text, as in `Basic …`), in hexadecimal,
 * and encoded for a URL or a form.
 *
 * It works on texts. A value that was split, reversed or hashed by the handler is not recognised.
 */
const REDACTED = '[redacted]'

/** A form that is shorter would take other text with it. */
const FORM_MIN = 8
/** How much of a value, cut off at the end of a text that was too long, is recognised. */
const REST_MIN = 4
const CUT_OFF = /… \(truncated\)$/

/**
 * The characters of base64 that depend on the value alone, wherever it begins in a group of three bytes: the first and
 * the last ones of an encoding may depend on its neighbours.
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
  // As forms and other programs do it.
  const strict = encoded.replace(
    /[!'()*~]/g,
    (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (it) => it.toLowerCase())
  const all = [encoded, strict, encoded.replaceAll('%20', '+'), strict.replaceAll('%20', '+')]
  return [...all, ...all.map(lower)]
}

/** A value in all the forms that are recognised, the longest first. */
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
    // Of all values together, so that a long one is taken out before a short one that is a part of it.
    this.#forms = [...this.#forms, ...formsOf(value)].sort((a, b) => b.length - a.length)
  }

  text(text: string): string {
    let clean = text
    for (const form of this.#forms) clean = clean.replaceAll(form, REDACTED)
    return CUT_OFF.test(clean) ? this.#withoutRest(clean) : clean
  }

  /** The end of a text that was cut may be the beginning of a value. */
  #withoutRest(text: string): string {
    const end = text.search(CUT_OFF)
    for (const form of this.#forms)
      for (let length = Math.min(form.length - 1, end); length >= REST_MIN; length--)
        if (text.startsWith(form.slice(0, length), end - length))
          return text.slice(0, end - length) + REDACTED + text.slice(end)
    return text
  }

  /** JSON, whose texts and names are redacted. */
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
