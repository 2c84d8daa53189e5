/**
 * Converts parameters for clients that may not pass Buffers through: each array becomes the text
 * that PostgreSQL reads, `{"a","b",NULL}`. Reads back the arrays that binary-arrays.ts made for
 * `pg`, so that one place decides a statement's parameters.
 */
const HEADER = 20
const INT2 = 21
const INT4 = 23
const INT8 = 20
const UUID = 2950
const TEXT = 25
const JSONB = 3802

/** Returns the same values, with each array as text. */
export function valuesAsText(values: readonly unknown[]): unknown[] {
  return values.map((value) => {
    if (Buffer.isBuffer(value)) return literal(elementsOf(value))
    return Array.isArray(value) ? literal(value.map(String)) : value
  })
}

function literal(elements: readonly (string | null)[]): string {
  return `{${elements.map((element) => (element === null ? 'NULL' : quoted(element))).join(',')}}`
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

function elementsOf(array: Buffer): (string | null)[] {
  // An empty array has no dimensions.
  if (array.readInt32BE(0) === 0) return []
  const oid = array.readInt32BE(8)
  const elements: (string | null)[] = []
  for (let at = HEADER; at < array.length; ) {
    const length = array.readInt32BE(at)
    const from = at + 4
    at = from + Math.max(length, 0)
    elements.push(length < 0 ? null : elementOf(oid, array.subarray(from, at)))
  }
  return elements
}

function elementOf(oid: number, bytes: Buffer): string {
  switch (oid) {
    case INT2:
      return String(bytes.readInt16BE())
    case INT4:
      return String(bytes.readInt32BE())
    case INT8:
      return String(bytes.readBigInt64BE())
    case UUID:
      return bytes.toString('hex')
    case TEXT:
      return bytes.toString('utf8')
    case JSONB:
      // jsonb starts with a format version byte.
      return bytes.toString('utf8', 1)
    default:
      throw new Error(`arrays of the type ${oid} have no text form here`)
  }
}
