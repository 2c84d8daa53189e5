/**
 * Statements with types. `npm run statements` asks a migrated database what each statement takes
 * and returns, and writes a function for it into the room's `statements.gen.ts`: its arguments are
 * the parameters, its result a call that a connection runs, whose rows have named columns.
 */
import type { Cells } from './cells.ts'

/** A parameter of a statement. */
export type Value = string | number | bigint | boolean | Buffer | null | readonly string[]
/** An array of elements of this type of PostgreSQL, as connection/binary-arrays.ts encodes it. */
export type ArrayOf<Element extends string> = Buffer & { readonly element?: Element }

/** A statement, and the decoder of its rows. */
export interface TypedStatement<Row> {
  /** `<aggregate>/<verb>-<noun>`, the path of its file in `queries`. */
  readonly path: string
  /** Whether it names the partitions of a day, and so is prepared anew each day. */
  readonly daily: boolean
  /** The names of the columns as PostgreSQL returns them, in their order. */
  readonly columns: readonly string[]
  decode(row: Cells): Row
}

/** A statement with the values of its parameters. */
export interface Call<Row> {
  readonly statement: TypedStatement<Row>
  readonly values: readonly Value[]
}

/** Values of the types of PostgreSQL, as parameters. Any may be null. */
export type Text = string | null
export type Num = number | null
/** 64 bits: ids that exceed what a number can hold are given as bigint or as decimal text. */
export type Big = bigint | number | string | null
export type Bool = boolean | null
export type Timestamp = string | null
export type List<Element extends string> = ArrayOf<Element> | readonly string[] | null
