// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { FinalState } from '@punctual/core/run'
import { boolean, number, orNull, text } from '../sql/cells.ts'
import { finalState } from '../sql/run-cells.ts'
import type { Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface FindLaneRow {
  readonly id: number
}

const FIND_LANE: TypedStatement<FindLaneRow> = {
  path: 'lanes/find-lane',
  daily: false,
  columns: ['id'],
  decode: (row) => ({
    id: number(row[0]),
  }),
}

/** The id of a lane. */
export function findLane(tenant: Num, queue: Text, handler: Text, priority: Num): Call<FindLaneRow> {
  return { statement: FIND_LANE, values: [tenant, queue, handler, priority] }
}

export interface InternLaneRow {
  readonly isLeft: boolean
  readonly most: number
  readonly told: string | null
}

const INTERN_LANE: TypedStatement<InternLaneRow> = {
  path: 'lanes/intern-lane',
  daily: false,
  columns: ['is_left', 'most', 'told'],
  decode: (row) => ({
    isLeft: boolean(row[0]),
    most: number(row[1]),
    told: orNull(text, row[2]),
  }),
}

/** Creates a lane if it does not exist, within the tenant's quota of lanes, and notifies workers
 * when it commits: without a notification they look for new lanes only once a minute. */
export function internLane(tenant: Num, queue: Text, handler: Text, priority: Num, mostLanesOfTenant: Num, channelOfHints: Text): Call<InternLaneRow> {
  return { statement: INTERN_LANE, values: [tenant, queue, handler, priority, mostLanesOfTenant, channelOfHints] }
}

export interface ListDepthsRow {
  readonly tenantId: number
  readonly queue: string
  readonly handler: string
  readonly priority: number
  readonly paused: boolean
  readonly due: number
  readonly waiting: number
  readonly oldestMs: number | null
  readonly running: number
}

const LIST_DEPTHS: TypedStatement<ListDepthsRow> = {
  path: 'lanes/list-depths',
  daily: false,
  columns: ['tenant_id', 'queue', 'handler', 'priority', 'paused', 'due', 'waiting', 'oldest_ms', 'running'],
  decode: (row) => ({
    tenantId: number(row[0]),
    queue: text(row[1]),
    handler: text(row[2]),
    priority: number(row[3]),
    paused: boolean(row[4]),
    due: number(row[5]),
    waiting: number(row[6]),
    oldestMs: orNull(number, row[7]),
    running: number(row[8]),
  }),
}

/** How many runs wait and run in each lane. Counting stops at 10,000 per lane, so that it stays
 * cheap with a backlog of millions. */
export function listDepths(tenant: Num): Call<ListDepthsRow> {
  return { statement: LIST_DEPTHS, values: [tenant] }
}

export interface ListLanesRow {
  readonly id: number
  readonly tenantId: number
  readonly queue: string
  readonly handler: string
  readonly priority: number
  readonly weight: number | null
  readonly ageingMs: number | null
}

const LIST_LANES: TypedStatement<ListLanesRow> = {
  path: 'lanes/list-lanes',
  daily: false,
  columns: ['id', 'tenant_id', 'queue', 'handler', 'priority', 'weight', 'ageing_ms'],
  decode: (row) => ({
    id: number(row[0]),
    tenantId: number(row[1]),
    queue: text(row[2]),
    handler: text(row[3]),
    priority: number(row[4]),
    weight: orNull(number, row[5]),
    ageingMs: orNull(number, row[6]),
  }),
}

/** The lanes that a worker with these handlers and queues can claim from, highest priority first. */
export function listLanes(handlers: List<'text'>, queues: List<'text'>, tenant: Num): Call<ListLanesRow> {
  return { statement: LIST_LANES, values: [handlers, queues, tenant] }
}

export interface ListWaitingLanesRow {
  readonly lane: number
  readonly dueInMs: number
}

const LIST_WAITING_LANES: TypedStatement<ListWaitingLanesRow> = {
  path: 'lanes/list-waiting-lanes',
  daily: false,
  columns: ['lane', 'due_in_ms'],
  decode: (row) => ({
    lane: number(row[0]),
    dueInMs: number(row[1]),
  }),
}

/** The lanes in which runs wait, and when the first run of each is due. Jumps through the index from
 * lane to lane, so that its cost depends on the lanes that have runs, not on those that exist. */
export function listWaitingLanes(): Call<ListWaitingLanesRow> {
  return { statement: LIST_WAITING_LANES, values: [] }
}

export interface SumCountersRow {
  readonly queue: string
  readonly state: FinalState
  readonly runs: number
}

const SUM_COUNTERS: TypedStatement<SumCountersRow> = {
  path: 'lanes/sum-counters',
  daily: false,
  columns: ['queue', 'state', 'runs'],
  decode: (row) => ({
    queue: text(row[0]),
    state: finalState(row[1]),
    runs: number(row[2]),
  }),
}

/** Runs that ended in the last N seconds, by queue and state. */
export function sumCounters(tenant: Num, n: Num): Call<SumCountersRow> {
  return { statement: SUM_COUNTERS, values: [tenant, n] }
}
