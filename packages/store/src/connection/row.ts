/** A parameter of a statement. */
export type Value = string | number | bigint | boolean | Buffer | null | readonly string[]
/** Columns in the order of the statement; every value is text. */
export type Row = readonly (string | null)[]
