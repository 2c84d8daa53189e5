// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import { bigint, boolean, number, orNull, text } from '../sql/cells.ts'
import type { Call, TypedStatement } from '../sql/typed.ts'

export interface ReadPositionRow {
  readonly identity: string
  readonly standby: boolean
  readonly replayedMs: number | null
  readonly position: bigint
  readonly migration: number
  readonly mayBeTenant: boolean
}

const READ_POSITION: TypedStatement<ReadPositionRow> = {
  path: 'replica/read-position',
  daily: false,
  columns: ['identity', 'standby', 'replayed_ms', 'position', 'migration', 'may_be_tenant'],
  decode: (row) => ({
    identity: text(row[0]),
    standby: boolean(row[1]),
    replayedMs: orNull(number, row[2]),
    position: bigint(row[3]),
    migration: number(row[4]),
    mayBeTenant: boolean(row[5]),
  }),
}

/** Which database this is, and its WAL position: on a primary what was written, on a standby what
 * was replayed. */
export function readPosition(): Call<ReadPositionRow> {
  return { statement: READ_POSITION, values: [] }
}
