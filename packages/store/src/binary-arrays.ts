/**
 * Arrays in PostgreSQL's binary format. The driver sends a Buffer as a binary parameter, so a batch of a
 * thousand rows is a handful of buffers: nothing is quoted here and nothing is parsed there.
 *
 * Layout: dimensions, has-null flag, element type, length, lower bound; then for each element its length
 * (-1 = null) and its bytes.
 */
const HEADER = 20
const GUESS_MAX = 67_108_864
const oids = {
  int2: 21,
  int4: 23,
  int8: 20,
  uuid: 2950,
  text: 25,
  jsonb: 3802,
  boolean: 16,
} as const

function header(buffer: Buffer, oid: number, length: number): void {
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(1, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(length, 12)
  buffer.writeInt32BE(1, 16)
}

/** Makes a buffer of fixed-size elements; an empty array has no dimensions. */
function fixed(
  oid: number,
  size: number,
  length: number,
  write: (buffer: Buffer, at: number, index: number) => void,
): Buffer {
  if (length === 0) return empty(oid)
  const buffer = Buffer.allocUnsafe(HEADER + length * (4 + size))
  header(buffer, oid, length)
  let at = HEADER
  for (let i = 0; i < length; i++) {
    buffer.writeInt32BE(size, at)
    write(buffer, at + 4, i)
    at += 4 + size
  }
  return buffer
}

function empty(oid: number): Buffer {
  const buffer = Buffer.alloc(12)
  buffer.writeInt32BE(oid, 8)
  return buffer
}

export function int2Array(values: readonly number[]): Buffer {
  return fixed(oids.int2, 2, values.length, (b, at, i) => b.writeInt16BE(values[i] as number, at))
}

export function int4Array(values: readonly number[]): Buffer {
  return fixed(oids.int4, 4, values.length, (b, at, i) => b.writeInt32BE(values[i] as number, at))
}

export function int4ArrayOrNull(values: readonly (number | null)[]): Buffer {
  if (values.length === 0) return empty(oids.int4)
  const buffer = Buffer.allocUnsafe(HEADER + values.length * 8)
  header(buffer, oids.int4, values.length)
  let at = HEADER
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? -1 : 4, at)
    if (value !== null) at = buffer.writeInt32BE(value, at)
  }
  return buffer.subarray(0, at)
}

export function booleanArray(values: readonly boolean[]): Buffer {
  return fixed(oids.boolean, 1, values.length, (b, at, i) => b.writeInt8(values[i] ? 1 : 0, at))
}

export function int8Array(values: readonly bigint[]): Buffer {
  return fixed(oids.int8, 8, values.length, (b, at, i) =>
    b.writeBigInt64BE(values[i] as bigint, at),
  )
}

/** Whole numbers below 2^53, or null. */
export function int8ArrayOfNumbers(values: readonly (number | null)[]): Buffer {
  if (values.length === 0) return empty(oids.int8)
  const buffer = Buffer.allocUnsafe(HEADER + values.length * 12)
  header(buffer, oids.int8, values.length)
  let at = HEADER
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(-1, at)
      continue
    }
    at = buffer.writeInt32BE(8, at)
    at = buffer.writeInt32BE(Math.floor(value / 4_294_967_296), at)
    at = buffer.writeUInt32BE(value >>> 0, at)
  }
  return buffer.subarray(0, at)
}

/** One decoding of one long text is many times faster than a write for each part of each id. */
export function uuidArray(values: readonly string[]): Buffer {
  if (values.length === 0) return empty(oids.uuid)
  let hex = ''
  for (const id of values)
    hex += `00000010${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}${id.slice(19, 23)}${id.slice(24)}`
  const buffer = Buffer.allocUnsafe(HEADER + values.length * 20)
  header(buffer, oids.uuid, values.length)
  buffer.write(hex, HEADER, 'hex')
  return buffer
}

export function uuidArrayOrNull(values: readonly (string | null)[]): Buffer {
  if (values.length === 0) return empty(oids.uuid)
  const buffer = Buffer.allocUnsafe(HEADER + values.length * 20)
  header(buffer, oids.uuid, values.length)
  let at = HEADER
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? -1 : 16, at)
    if (value !== null) at += buffer.write(value.replaceAll('-', ''), at, 'hex')
  }
  return buffer.subarray(0, at)
}

function varying(oid: number, values: readonly (string | null)[], prefix: number): Buffer {
  if (values.length === 0) return empty(oid)
  let size = HEADER
  for (const value of values) size += 4 + (value === null ? 0 : prefix + value.length * 3)
  // The guess is cheap and mostly right enough; what would be large is measured.
  if (size > GUESS_MAX) {
    size = HEADER
    for (const value of values) size += 4 + (value === null ? 0 : prefix + Buffer.byteLength(value))
  }
  const buffer = Buffer.allocUnsafe(size)
  header(buffer, oid, values.length)
  let at = HEADER
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(-1, at)
      continue
    }
    // jsonb begins with its format's version.
    if (prefix === 1) buffer[at + 4] = 1
    const bytes = prefix + buffer.write(value, at + 4 + prefix, 'utf8')
    buffer.writeInt32BE(bytes, at)
    at += 4 + bytes
  }
  return buffer.subarray(0, at)
}

export function textArray(values: readonly (string | null)[]): Buffer {
  return varying(oids.text, values, 0)
}

export function jsonbArray(values: readonly (string | null)[]): Buffer {
  return varying(oids.jsonb, values, 1)
}
