/**
 * Arrays in PostgreSQL's binary format. The driver sends a Buffer as a binary parameter, so a batch
 * of a thousand rows is a handful of buffers: no quoting on this side, no parsing on the server.
 *
 * Layout: dimensions, has-null flag, element type, length, lower bound; then for each element its
 * length (-1 = null) and its bytes.
 */
import type { ArrayOf } from '../sql/typed.ts'

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

/** Writes elements of a fixed size; an empty array has no dimensions. */
function fixed<Element>(
  oid: number,
  size: number,
  values: readonly Element[],
  write: (buffer: Buffer, at: number, value: Element) => void,
): Buffer {
  if (values.length === 0) return empty(oid)
  const buffer = Buffer.allocUnsafe(HEADER + values.length * (4 + size))
  header(buffer, oid, values.length)
  let at = HEADER
  for (const value of values) {
    buffer.writeInt32BE(size, at)
    write(buffer, at + 4, value)
    at += 4 + size
  }
  return buffer
}

function empty(oid: number): Buffer {
  const buffer = Buffer.alloc(12)
  buffer.writeInt32BE(oid, 8)
  return buffer
}

export function int2Array(values: readonly number[]): ArrayOf<'int2'> {
  return fixed(oids.int2, 2, values, (b, at, value) => b.writeInt16BE(value, at))
}

export function int4Array(values: readonly number[]): ArrayOf<'int4'> {
  return fixed(oids.int4, 4, values, (b, at, value) => b.writeInt32BE(value, at))
}

export function int4ArrayOrNull(values: readonly (number | null)[]): ArrayOf<'int4'> {
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

export function booleanArray(values: readonly boolean[]): ArrayOf<'bool'> {
  return fixed(oids.boolean, 1, values, (b, at, value) => b.writeInt8(value ? 1 : 0, at))
}

export function int8Array(values: readonly bigint[]): ArrayOf<'int8'> {
  let view: DataView | undefined
  return fixed(oids.int8, 8, values, (b, at, value) => {
    // Unlike Buffer.writeBigInt64BE, a DataView makes no intermediate numbers.
    view ??= new DataView(b.buffer, b.byteOffset, b.byteLength)
    view.setBigInt64(at, value)
  })
}

/** The sum of an array made by `int8Array`, as decimal text. */
export function sumOfInt8Array(array: Buffer): string {
  let [high, low] = [0, 0]
  for (let at = HEADER + 4; at < array.length; at += 12) {
    high += array.readInt32BE(at)
    low += array.readUInt32BE(at + 4)
  }
  return ((BigInt(high) << 32n) + BigInt(low)).toString()
}

/** Integers below 2^53, or null. */
export function int8ArrayOfNumbers(values: readonly (number | null)[]): ArrayOf<'int8'> {
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

/** The value of each hexadecimal digit, by character code. */
const DIGITS = new Uint8Array(256)
for (const digit of '0123456789abcdefABCDEF')
  DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16)

/** Writes digit by digit: slicing the id for a decoder costs twice as much and leaves garbage. */
function writeUuid(buffer: Buffer, id: string, start: number): number {
  let at = start
  for (let i = 0; i < 36; i += 2) {
    if (i === 8 || i === 13 || i === 18 || i === 23) i++
    const high = DIGITS[id.charCodeAt(i)] ?? 0
    buffer[at++] = (high << 4) | (DIGITS[id.charCodeAt(i + 1)] ?? 0)
  }
  return at
}

export function uuidArray(values: readonly string[]): ArrayOf<'uuid'> {
  return fixed(oids.uuid, 16, values, (b, at, value) => writeUuid(b, value, at))
}

export function uuidArrayOrNull(values: readonly (string | null)[]): ArrayOf<'uuid'> {
  if (values.length === 0) return empty(oids.uuid)
  const buffer = Buffer.allocUnsafe(HEADER + values.length * 20)
  header(buffer, oids.uuid, values.length)
  let at = HEADER
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? -1 : 16, at)
    if (value !== null) at = writeUuid(buffer, value, at)
  }
  return buffer.subarray(0, at)
}

function varying(oid: number, values: readonly (string | null)[], prefix: number): Buffer {
  if (values.length === 0) return empty(oid)
  let size = HEADER
  for (const value of values) size += 4 + (value === null ? 0 : prefix + value.length * 3)
  // The estimate is cheap and usually close enough; only a large one is measured exactly.
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
    // jsonb starts with a format version byte.
    if (prefix === 1) buffer[at + 4] = 1
    const bytes = prefix + buffer.write(value, at + 4 + prefix, 'utf8')
    buffer.writeInt32BE(bytes, at)
    at += 4 + bytes
  }
  return buffer.subarray(0, at)
}

export function textArray(values: readonly (string | null)[]): ArrayOf<'text'> {
  return varying(oids.text, values, 0)
}

export function jsonbArray(values: readonly (string | null)[]): ArrayOf<'jsonb'> {
  return varying(oids.jsonb, values, 1)
}
