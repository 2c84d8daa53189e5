/**
 * Claims runs: one statement takes due runs of several lanes, under fences that are made here in
 * advance. Keeps the marks where each lane's scan starts, chooses the form of the statement, and
 * reads the definitions that the claim does not return.
 */
import { invariant, limits } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimRequest, ClaimResult } from '@punctual/core/ports'
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
import { ControlledLanes } from './controlled-lanes.ts'
import { FaultClaims } from './fault-claims.ts'
import { type ClaimTurn, LaneMarks, type LaneScan } from './lane-marks.ts'
import { expiresInMs, readDefinitions } from './run-definitions.ts'
import { claimControlledRuns, claimRuns } from './statements.gen.ts'

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

const NOTHING: ClaimResult = {
  sessionAlive: false,
  runs: [],
  more: false,
  nextDueInMs: null,
  parked: [],
  gave: [],
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
  readonly #aroundFaults: FaultClaims

  constructor(database: Database) {
    this.#database = database
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
  async #claimTogether(request: ClaimRequest): Promise<ClaimResult> {
    const { claim, secondClaim } = this.#database
    const channel = request.bulk ? secondClaim.orUntilConnected(claim) : claim
    try {
      const nowMs = this.#database.localClock.monotonicMs()
      const controlled = this.#controlled.some(request.lanes, nowMs)
      const result = controlled ? null : await this.#claimPlain(this.#begin(channel, request))
      return result ?? (await this.#claimControlled(this.#begin(channel, request)))
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
  async #claimPlain(sent: Sent): Promise<ClaimResult | null> {
    const [answer] = await sent.channel.runPinned(claimRuns(...valuesOf(sent)))
    if (!answer) return NOTHING
    if (answer.controlled === null) return this.#result(sent, answer, UNCONTROLLED)
    this.#controlled.note(lanesOf(answer.controlled), sent.atMs)
    return null
  }

  async #claimControlled(sent: Sent): Promise<ClaimResult> {
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

  async #result(sent: Sent, answer: ClaimAnswer, controls: Controls): Promise<ClaimResult> {
    const { clock } = this.#database
    const boundMs = positionMs(answer.bound ?? '0')
    clock.sample(sent.atMs, boundMs + 0.5)
    this.#marks.checkBound(sent.turn, boundMs)
    const gave = givenLanes(answer)
    const claimed = { answer, controls, gave, taken: new TakenRuns(answer, gave), boundMs }
    const more = this.#note(sent, claimed)
    const { nextPos } = answer
    return {
      sessionAlive: true,
      runs: await this.#describe(sent.request, claimed),
      more,
      nextDueInMs: nextPos === null ? null : Math.max(0, positionMs(nextPos) - boundMs),
      parked: controls.parked,
      gave,
    }
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
  ): Promise<ClaimedRun[]> {
    const definitions = new TakenDefinitions(answer, taken.ids)
    const others = definitions.missing(taken.ids)
    if (others.length > 0)
      await readDefinitions(this.#database, others, (id, read) => definitions.add(id, read))
    const lanes = new Map(request.lanes.map((lane) => [lane.id, lane]))
    const withheld = new Set([...controls.parked, ...controls.postponed])
    const runs: ClaimedRun[] = []
    let fence = BigInt(request.fence)
    for (const [place, id] of taken.ids.entries()) {
      fence += 1n
      if (withheld.size > 0 && withheld.has(id)) continue
      const definition = definitions.at(id, place)
      invariant(definition, `run ${id} is in the queue and has no definition`)
      const lane = lanes.get(taken.laneAt(place))
      invariant(lane, `run ${id} is of a lane that was asked for`)
      const marks = taken.marksAt(place)
      const gate = controls.gates?.[place]
      runs.push({
        id,
        fence,
        lane: lane.id,
        tenantId: lane.tenantId,
        handler: lane.handler,
        queue: lane.queue,
        priority: lane.priority + aged(lane, definition.dueMs, boundMs),
        weight: lane.weight ?? 1,
        limited: controls.limited.has(lane.id),
        attempt: marks.attempt,
        crashes: marks.crashes,
        traits: marks.traits,
        gate: gate ? BigInt(gate) : null,
        expiresInMs: expiresInMs(marks.traits, definition.policy, boundMs),
        ...definition,
      })
    }
    return inStartOrder(runs, gave, lanes)
  }
}

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

/** How many priorities a run gains by ageing, while it waits. */
function aged({ ageingMs, priority }: Lane, dueMs: number, nowMs: number): number {
  if (!ageingMs) return 0
  const steps = Math.floor((nowMs - dueMs) / ageingMs)
  return Math.min(limits.priorityMax - priority, Math.max(0, steps))
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
