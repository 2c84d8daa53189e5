/**
 * Decodes the cells of a row: the driver hands out every value as text. The generated statements
 * (`*.gen.ts`) name the decoder of each column. A null where the statement promises a value is an
 * error of the statement, and is refused here instead of travelling on.
 */
import { invariant } from '@punctual/core/errors'

/** One value of a row; undefined beyond its end. */
export type Cell = string | null | undefined
/** A row in the order of the statement's columns. */
export type Cells = readonly (string | null)[]

/** Decodes a cell that may be null. */
export function orNull<T>(decode: (cell: Cell) => T, cell: Cell): T | null {
  return cell === null || cell === undefined ? null : decode(cell)
}

export function text(cell: Cell): string {
  invariant(cell !== null && cell !== undefined, 'a column that is never null is null')
  return cell
}

export function number(cell: Cell): number {
  return Number(text(cell))
}

export function bigint(cell: Cell): bigint {
  return BigInt(text(cell))
}

export function boolean(cell: Cell): boolean {
  return text(cell) === 't'
}

export function date(cell: Cell): Date {
  return new Date(text(cell))
}

export function json(cell: Cell): unknown {
  return JSON.parse(text(cell))
}

/** An array whose elements need no quotes and are never null: ids and numbers. */
export function texts(cell: Cell): string[] {
  const array = text(cell)
  return array === '{}' ? [] : array.slice(1, -1).split(',')
}

export function numbers(cell: Cell): number[] {
  return texts(cell).map(Number)
}

export function numbersOrNull(cell: Cell): (number | null)[] {
  return texts(cell).map((element) => (element === 'NULL' ? null : Number(element)))
}
