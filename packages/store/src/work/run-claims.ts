/**
 * Claims runs: one statement takes due runs of several lanes, under fences that are made here in
 * advance. Keeps the marks where each lane's scan starts, chooses the form of the statement, and
 * reads the definitions that the claim does not return. Runs whose payloads exceed what one claim may
 * load go back to the queue unchanged.
 */
import { invariant, limits } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimRequest, ClaimResult, Fence } from '@punctual/core/ports'
import { int2Array, int4Array, int8Array, int8ArrayOfNumbers } from '../connection/binary-arrays.ts'
import type { Channel } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { positionAt, positionMs } from '../sql/positions.ts'
import {
  type ClaimAnswer,
  type GivenLane,
  givenLanes,
  lanesOf,
  listOf,
  TakenDefinitions,
  TakenRuns,
} from './claim-codec.ts'
import { ClaimSizes } from './claim-sizes.ts'
import { ControlledLanes } from './controlled-lanes.ts'
import { FaultClaims } from './fault-claims.ts'
import { type ClaimTurn, LaneMarks, type LaneScan } from './lane-marks.ts'
import { readDefinitions } from './run-definitions.ts'
import { claimControlledRuns, claimRuns } from './statements.gen.ts'
import { type LaneOfClaim, TakenRun } from './taken-run.ts'

/** What only the form for controlled runs answers. */
interface Controls {
  readonly parked: readonly string[]
  readonly postponed: readonly string[]
  /** The gate of each run, by its place; null when no run has one. */
  readonly gates: readonly string[] | null
  /** The lanes with limits of concurrency. */
  readonly limited: ReadonlySet<number>
}

const UNCONTROLLED: Controls = { parked: [], postponed: [], gates: null, limited: new Set() }

/** The result of a claim, and the runs that it took and may not load. */
type Described = ClaimResult & { readonly left: readonly ClaimedLane[] }

type ClaimedLane = Fence & { readonly lane: number }

const NOTHING: Described = {
  sessionAlive: false,
  runs: [],
  more: false,
  nextDueInMs: null,
  parked: [],
  gave: [],
  left: [],
}

/** A claim on its way: where it starts, and what the marks must know of it. */
interface Sent {
  readonly channel: Channel
  readonly request: ClaimRequest
  readonly turn: ClaimTurn
  readonly scans: readonly LaneScan[]
  readonly atMs: number
}

/** The answer of a claim. */
interface Claimed {
  readonly answer: ClaimAnswer
  readonly controls: Controls
  readonly gave: readonly GivenLane[]
  readonly taken: TakenRuns
  readonly boundMs: number
}

export class RunClaims {
  readonly #database: Database
  readonly #marks = new LaneMarks()
  readonly #controlled = new ControlledLanes()
  readonly #sizes = new ClaimSizes()
  readonly #giveBack: (runs: readonly Fence[]) => Promise<void>
  readonly #aroundFaults: FaultClaims

  constructor(database: Database, giveBack: (runs: readonly Fence[]) => Promise<void>) {
    this.#database = database
    this.#giveBack = giveBack
    this.#aroundFaults = new FaultClaims(database, (request) => this.#claimTogether(request))
    database.onClaimConnect.push(() => this.#marks.forget())
  }

  /** A stored value that fails the statement keeps only its own run from being claimed. */
  claim(request: ClaimRequest): Promise<ClaimResult> {
    return this.#aroundFaults.claim(request)
  }

  /**
   * Consecutive large claims use a separate connection, so that hints arrive on the other one
   * between claims.
   */
  async #claimTogether(wanted: ClaimRequest): Promise<ClaimResult> {
    const request = { ...wanted, limit: this.#sizes.limitOf(wanted) }
    const { claim, secondClaim } = this.#database
    const channel = request.bulk ? secondClaim.orUntilConnected(claim) : claim
    try {
      const nowMs = this.#database.localClock.monotonicMs()
      const controlled = this.#controlled.some(request.lanes, nowMs)
      const plain = controlled ? null : await this.#claimPlain(this.#begin(channel, request))
      const result = plain ?? (await this.#claimControlled(this.#begin(channel, request)))
      return this.#bounded(result, wanted)
    } catch (error) {
      // Its runs are back in the queue, and a concurrent claim may have passed them.
      this.#marks.forget()
      throw error
    }
  }

  #begin(channel: Channel, request: ClaimRequest): Sent {
    const atMs = this.#database.localClock.monotonicMs()
    const turn = this.#marks.turn()
    const scans = request.lanes.map((lane) => this.#marks.begin(lane.id, atMs))
    return { channel, request, turn, scans, atMs }
  }

  /** Null when a lane needs the other form; then nothing was taken. */
  async #claimPlain(sent: Sent): Promise<Described | null> {
    const [answer] = await sent.channel.runPinned(claimRuns(...valuesOf(sent)))
    if (!answer) return NOTHING
    if (answer.controlled === null) return this.#result(sent, answer, UNCONTROLLED)
    this.#controlled.note(lanesOf(answer.controlled), sent.atMs)
    return null
  }

  async #claimControlled(sent: Sent): Promise<Described> {
    const [answer] = await sent.channel.runPinned(claimControlledRuns(...valuesOf(sent)))
    if (!answer) return NOTHING
    this.#controlled.note(lanesOf(answer.controlled), sent.atMs)
    return this.#result(sent, answer, {
      parked: listOf(answer.parked),
      postponed: listOf(answer.postponed),
      gates: answer.gates === null ? null : answer.gates.split(','),
      limited: lanesOf(answer.limited),
    })
  }

  async #result(sent: Sent, answer: ClaimAnswer, controls: Controls): Promise<Described> {
    const { clock } = this.#database
    const boundMs = positionMs(answer.bound ?? '0')
    clock.sample(sent.atMs, boundMs + 0.5)
    this.#marks.checkBound(sent.turn, boundMs)
    const gave = givenLanes(answer)
    const claimed = { answer, controls, gave, taken: new TakenRuns(answer, gave), boundMs }
    const more = this.#note(sent, claimed)
    const { nextPos } = answer
    const { runs, left } = await this.#describe(sent.request, claimed)
    return {
      sessionAlive: true,
      ...{ runs, left },
      more: more || left.length > 0,
      nextDueInMs: nextPos === null ? null : Math.max(0, positionMs(nextPos) - boundMs),
      parked: controls.parked,
      gave,
    }
  }

  /** Returns the runs that were not loaded to the queue: they keep their attempts and crashes. */
  async #bounded({ left, ...result }: Described, { limit }: ClaimRequest): Promise<ClaimResult> {
    if (left.length === 0) {
      this.#sizes.grow(result.gave, limit)
      return result
    }
    this.#sizes.shrink(new Set(left.map(({ lane }) => lane)), result.runs.length)
    // When this fails, the search for strays finds them, or the reaper.
    await this.#giveBack(left).catch(() => undefined)
    return result
  }

  /** Updates the marks with the reach in each lane; returns whether a lane may have more runs. */
  #note({ request, turn, scans }: Sent, { answer, gave, taken, boundMs }: Claimed): boolean {
    const nowMs = this.#database.localClock.monotonicMs()
    const snapshot = { xmin: Number(answer.xmin), xmax: Number(answer.xmax) }
    const givenBy = new Map(gave.map((given) => [given.lane, given]))
    const unseen = lanesOf(answer.unseen)
    const filled = taken.ids.length >= request.limit
    let more = filled
    for (const scan of scans) {
      const given = givenBy.get(scan.lane)
      const full = given !== undefined && (filled || given.full)
      more ||= full
      // A full lane was seen up to its last run. A lane that gave nothing to a full batch was not
      // seen at all.
      const skipped = (filled && !given) || unseen.has(scan.lane)
      const reachMs = full ? positionMs(given.lastPos) - 1 : skipped ? null : boundMs
      this.#marks.reached(turn, scan, reachMs, snapshot, nowMs)
    }
    return more
  }

  /** Combines the taken runs with their definitions, in the order in which they start. */
  async #describe(
    request: ClaimRequest,
    { answer, taken, controls, gave, boundMs }: Claimed,
  ): Promise<{ runs: ClaimedRun[]; left: readonly ClaimedLane[] }> {
    const definitions = new TakenDefinitions(answer, taken.ids)
    const withheld = new Set([...controls.parked, ...controls.postponed])
    const others = definitions.missing(taken.ids).filter((id) => !withheld.has(id))
    const unread = new Set(
      others.length === 0
        ? []
        : await readDefinitions(
            this.#database,
            others,
            (request.bytes ?? limits.claimBytes) - definitions.length,
            (id, read) => definitions.add(id, read),
          ),
    )
    const { gates, limited } = controls
    const lanes = new Map(request.lanes.map((lane) => [lane.id, laneOfClaim(lane, limited)]))
    const claim = { fence: BigInt(request.fence), boundMs, definitions, gates }
    const left: ClaimedLane[] = []
    const runs: ClaimedRun[] = []
    for (const [place, id] of taken.ids.entries()) {
      if (withheld.size > 0 && withheld.has(id)) continue
      const lane = lanes.get(taken.laneAt(place))
      invariant(lane, `run ${id} is of a lane that was asked for`)
      const run = new TakenRun(claim, lane, id, place, taken.marksAt(place))
      if (unread.size > 0 && unread.has(id)) {
        left.push({ id, fence: run.fence, lane: lane.id })
        continue
      }
      invariant(definitions.has(id), `run ${id} is in the queue and has no definition`)
      runs.push(run)
    }
    return { runs: inStartOrder(runs, gave, lanes), left }
  }
}

const laneOfClaim = (lane: Lane, limited: ReadonlySet<number>): LaneOfClaim => ({
  ...{ ...lane, weight: lane.weight ?? 1 },
  limited: limited.has(lane.id),
})

/** The parameters of both forms of the claim. */
function valuesOf({ request, scans }: Sent): Parameters<typeof claimRuns> {
  const { sessionId, fence, lanes, limit, weights } = request
  return [
    sessionId,
    fence,
    int4Array(lanes.map((lane) => lane.id)),
    int8Array(scans.map((scan) => positionAt(scan.startMs))),
    int2Array(lanes.map((lane) => limits.priorityMax - lane.priority)),
    limit,
    int4Array(weights ?? lanes.map(() => 1)),
    lanes.some((lane) => lane.ageingMs)
      ? int8ArrayOfNumbers(lanes.map((lane) => lane.ageingMs ?? null))
      : null,
  ]
}

/** Sorts by priority, then by id and so by due time: the runs arrive in the order of their ids. */
function inStartOrder(
  runs: ClaimedRun[],
  gave: readonly GivenLane[],
  lanes: ReadonlyMap<number, Lane>,
): ClaimedRun[] {
  const priorityOf = (lane: number) => lanes.get(lane)?.priority ?? 0
  const priorities = new Set(gave.map(({ lane }) => priorityOf(lane)))
  if (priorities.size < 2) return runs
  return runs.sort((a, b) => priorityOf(b.lane) - priorityOf(a.lane))
}
