/**
 * The kinds of values that settings have: how each is read from the text of a flag or variable and
 * from the JSON of a file. A reader returns undefined for a value that it cannot read; the caller
 * reports where the value came from.
 */

export interface Kind<T> {
  /** Completes the sentence "must be …". */
  readonly expected: string
  /** How help shows the value of the flag; null for a switch, which takes none. */
  readonly placeholder: string | null
  fromText(text: string): T | undefined
  fromJson(value: unknown): T | undefined
}

export function text(expected: string, placeholder: string, accepts = (_: string) => true) {
  const read = (value: unknown) =>
    typeof value === 'string' && value !== '' && accepts(value) ? value : undefined
  return { expected, placeholder, fromText: read, fromJson: read } satisfies Kind<string>
}

export function whole(min: number, max: number): Kind<number> {
  const accept = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? (value as number)
      : undefined
  return {
    expected: `an integer from ${min} to ${max}`,
    placeholder: 'n',
    fromText: (value) => (/^[0-9]+$/.test(value) ? accept(Number(value)) : undefined),
    fromJson: accept,
  }
}

export function oneOf<const T extends string>(...choices: readonly T[]): Kind<T> {
  const accept = (value: unknown) => choices.find((choice) => choice === value)
  const expected = `one of ${choices.join(', ')}`
  return { expected, placeholder: choices.join('|'), fromText: accept, fromJson: accept }
}

export function someOf<const T extends string>(...choices: readonly T[]): Kind<readonly T[]> {
  const accept = (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every((name) => choices.includes(name))
      ? (value as T[])
      : undefined
  return {
    expected: `one or more of ${choices.join(', ')}, with commas`,
    placeholder: 'list',
    fromText: (value) => accept(value.split(',').map((name) => name.trim())),
    fromJson: accept,
  }
}

/** Any texts; the command that uses them checks each. */
export function listOf(expected: string): Kind<readonly string[]> {
  const accept = (value: unknown) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '')
      ? (value as string[])
      : undefined
  return {
    expected,
    placeholder: 'list',
    fromText: (value) => accept(value.split(',').map((each) => each.trim())),
    fromJson: accept,
  }
}

const YES = new Set(['true', 'on', 'yes', '1'])
const NO = new Set(['false', 'off', 'no', '0'])

function yesOrNo(value: string): boolean | undefined {
  const word = value.toLowerCase()
  return YES.has(word) ? true : NO.has(word) ? false : undefined
}

export const onOrOff: Kind<boolean> = {
  expected: 'true or false',
  placeholder: null,
  fromText: yesOrNo,
  fromJson: (value) => (typeof value === 'boolean' ? value : undefined),
}

/** Punctual decides unless the value is set. */
export const autoOnOrOff: Kind<boolean | 'auto'> = {
  expected: 'auto, true or false',
  placeholder: 'auto|on|off',
  fromText: (value) => (value === 'auto' ? value : yesOrNo(value)),
  fromJson: (value) => (value === 'auto' || typeof value === 'boolean' ? value : undefined),
}

/**
 * Queues by name. A number limits how many of the queue's runs one process executes at once; null
 * sets no limit.
 */
export type QueueCaps = Readonly<Record<string, number | null>>

export function queueCaps(capMax: number): Kind<QueueCaps> {
  const cap = whole(1, capMax)
  const fromEntries = (entries: readonly (readonly [string, unknown])[]) => {
    const caps: Record<string, number | null> = {}
    for (const [name, value] of entries) {
      const read = value === null ? null : cap.fromJson(value)
      if (name === '' || read === undefined) return undefined
      caps[name] = read
    }
    return caps
  }
  return {
    expected: `names of queues with commas, each with an optional cap (emails,reports=5); in the file a list, or an object of caps`,
    placeholder: 'list',
    fromText: (value) =>
      fromEntries(
        value.split(',').map((part) => {
          const [, name = part, number] = /^(.*)=(\d+)$/.exec(part) ?? []
          return [name.trim(), number === undefined ? null : Number(number)]
        }),
      ),
    fromJson: (value) => {
      if (Array.isArray(value))
        return value.every((name) => typeof name === 'string')
          ? fromEntries(value.map((name) => [name, null]))
          : undefined
      return isRecord(value) ? fromEntries(Object.entries(value)) : undefined
    },
  }
}

export const pairs: Kind<Readonly<Record<string, string>>> = {
  expected: 'name=value pairs with commas; in the file an object with string values',
  placeholder: 'list',
  fromText: (value) => {
    const entries = value.split(',').map((part) => part.split(/=(.*)/s).slice(0, 2))
    return entries.every(([name, content]) => name && content !== undefined)
      ? Object.fromEntries(entries)
      : undefined
  },
  fromJson: (value) =>
    isRecord(value) && Object.values(value).every((content) => typeof content === 'string')
      ? (value as Record<string, string>)
      : undefined,
}

/** One or several addresses; when one does not answer, the next is used. */
export const httpUrls: Kind<readonly string[]> = {
  expected: 'http://host:port or https://…, several with commas',
  placeholder: 'url',
  fromText: (value) => urlsOf(value.split(',').map((url) => url.trim())),
  fromJson: (value) => urlsOf(Array.isArray(value) ? value : [value]),
}

function urlsOf(urls: readonly unknown[]): readonly string[] | undefined {
  const good = (url: unknown) => typeof url === 'string' && /^https?:\/\/[^@?#]+$/.test(url)
  return urls.length > 0 && urls.every(good) ? (urls as string[]) : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
