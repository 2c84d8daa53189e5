// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import { number, orNull, text } from '../sql/cells.ts'
import type { Call, TypedStatement } from '../sql/typed.ts'

export interface GreetRow {
  readonly ms: number
  readonly pid: number
  readonly timeline: string | null
}

const GREET: TypedStatement<GreetRow> = {
  path: 'connection/greet',
  daily: false,
  columns: ['ms', 'pid', 'timeline'],
  decode: (row) => ({
    ms: number(row[0]),
    pid: number(row[1]),
    timeline: orNull(text, row[2]),
  }),
}

/** What a new connection asks first: the clock, which backend answers, and whether this is the
 * primary. The timeline is new after a fail-over. */
export function greet(): Call<GreetRow> {
  return { statement: GREET, values: [] }
}

export interface ReadTimeRow {
  readonly ms: number
}

const READ_TIME: TypedStatement<ReadTimeRow> = {
  path: 'connection/read-time',
  daily: false,
  columns: ['ms'],
  decode: (row) => ({
    ms: number(row[0]),
  }),
}

/** Reads the clock of the server with its full precision, to learn how far this process's differs. */
export function readTime(): Call<ReadTimeRow> {
  return { statement: READ_TIME, values: [] }
}
