/**
 * The claim: one statement that takes due runs of some lanes under a fence made here beforehand. Keeps the
 * marks that tell where each lane's scan begins, and reads what older runs are to do in a second statement.
 */
import {
  type ClaimedRun,
  type ClaimRequest,
  type ClaimResult,
  invariant,
  type Lane,
} from '@punctual/core'
import { int2Array, int4Array, int8Array, uuidArray } from './binary-arrays.ts'
import type { Row } from './channel.ts'
import type { Database } from './database.ts'
import { LaneMarks, type LaneScan, type Snapshot } from './lane-marks.ts'

const POSITION_BITS = 20n
const positionMs = (pos: string) => Number(BigInt(pos) >> POSITION_BITS)

interface Definition {
  maxAttempts: number
  timeoutMs: number
  dueMs: number
  payload: string
  retry: string | null
  trace: string | null
}

function definition(columns: Row): Definition | null {
  const [maxAttempts, timeoutMs, dueMs, payload, retry, trace] = columns
  if (maxAttempts === null || maxAttempts === undefined) return null
  return {
    maxAttempts: Number(maxAttempts),
    timeoutMs: Number(timeoutMs),
    dueMs: Number(dueMs),
    payload: payload as string,
    retry: retry ?? null,
    trace: trace ?? null,
  }
}

export class Claiming {
  readonly #database: Database
  readonly #marks = new LaneMarks()

  constructor(database: Database) {
    this.#database = database
    database.onClaimConnect.push(() => this.#marks.forget())
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const database = this.#database
    const sentAtMs = database.localClock.monotonicMs()
    const scans = request.lanes.map((lane) => this.#marks.begin(lane.id, sentAtMs))
    const statement = database.statements.onDay('work/claim-runs', database.clock.nowMs())
    const rows = await database.claim.pinnedOne(statement, [
      request.sessionId,
      request.claim,
      int4Array(request.lanes.map((lane) => lane.id)),
      int8Array(scans.map((scan) => BigInt(Math.floor(scan.startMs)) << POSITION_BITS)),
      int2Array(request.lanes.map((lane) => 10 - lane.priority)),
      request.limit,
    ])
    const [about, ...taken] = rows
    if (!about) return { sessionAlive: false, runs: [], more: false, nextDueInMs: null }
    const [xmin, xmax, bound, next] = (about[9] as string).split(' ')
    const boundMs = positionMs(bound as string)
    database.clock.sample(sentAtMs, boundMs + 0.5)
    this.#marks.checkBound(boundMs)
    const more = this.#note(request, scans, taken, boundMs, {
      xmin: Number(xmin),
      xmax: Number(xmax),
    })
    return {
      sessionAlive: true,
      runs: await this.#describe(request, taken),
      more,
      nextDueInMs: next === undefined ? null : Math.max(0, positionMs(next) - boundMs),
    }
  }

  /** Tells the marks how far each lane was seen; returns whether a lane may have more. */
  #note(
    request: ClaimRequest,
    scans: readonly LaneScan[],
    taken: readonly Row[],
    boundMs: number,
    snapshot: Snapshot,
  ): boolean {
    const nowMs = this.#database.localClock.monotonicMs()
    const counts = new Map<number, { rows: number; lastPos: string }>()
    for (const row of taken) {
      const lane = Number(row[2])
      const pos = row[1] as string
      const count = counts.get(lane)
      if (!count) counts.set(lane, { rows: 1, lastPos: pos })
      else {
        count.rows++
        if (pos > count.lastPos) count.lastPos = pos
      }
    }
    const inRank = new Map<number, number>()
    for (const lane of request.lanes)
      inRank.set(lane.priority, (inRank.get(lane.priority) ?? 0) + 1)
    const filled = taken.length >= request.limit
    let more = filled
    request.lanes.forEach((lane, i) => {
      const count = counts.get(lane.id)
      const share = Math.ceil(request.limit / (inRank.get(lane.priority) as number))
      const full = count !== undefined && (filled || count.rows >= share)
      more ||= full
      // A full lane was seen up to its last run; an untouched one behind a full batch was not seen at all.
      const reachMs = full ? positionMs(count.lastPos) - 1 : filled && !count ? null : boundMs
      this.#marks.reached(scans[i] as LaneScan, reachMs, snapshot, nowMs)
    })
    return more
  }

  async #describe(request: ClaimRequest, taken: readonly Row[]): Promise<ClaimedRun[]> {
    if (taken.length === 0) return []
    const lanes = new Map(request.lanes.map((lane) => [lane.id, lane]))
    const older = taken.filter((row) => row[6] === null).map((row) => row[0] as string)
    const found = older.length > 0 ? await this.#readOlder(older) : null
    const runs = taken.map((row) => {
      const id = row[0] as string
      const lane = lanes.get(Number(row[2])) as Lane
      const what = definition(row.slice(6)) ?? found?.get(id)
      invariant(what, `run ${id} is in the queue and has no definition`)
      return {
        id,
        claim: request.claim,
        lane: lane.id,
        handler: lane.handler,
        queue: lane.queue,
        attempt: Number(row[3]),
        crashes: Number(row[4]),
        traits: Number(row[5]),
        maxAttempts: what.maxAttempts,
        timeoutMs: what.timeoutMs,
        dueMs: what.dueMs,
        payload: what.payload,
        retry: what.retry,
        trace: what.trace,
        order: `${10 - lane.priority + 10} ${row[1]}`,
      }
    })
    return runs.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
  }

  async #readOlder(ids: readonly string[]): Promise<Map<string, Definition>> {
    const rows = await this.#database.read.query(this.#database.statement('work/read-runs'), [
      uuidArray(ids),
    ])
    return new Map(
      rows.map(([id, ...columns]) => [id as string, definition(columns) as Definition]),
    )
  }
}
