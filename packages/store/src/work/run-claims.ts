/**
 * Claims runs: one statement takes due runs of several lanes, under fences that are made here in
 * advance. Keeps the marks where each lane's scan starts, and reads the definitions of older runs
 * day by day.
 */
import { invariant, limits } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimRequest, ClaimResult, LaneYield } from '@punctual/core/ports'
import { int2Array, int4Array, int8Array, int8ArrayOfNumbers } from '../connection/binary-arrays.ts'
import type { Channel, Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { positionAt, positionMs } from '../sql/positions.ts'
import { type ClaimTurn, LaneMarks, type LaneScan, type Snapshot } from './lane-marks.ts'
import { definitionOf, readDefinitions } from './run-definitions.ts'

/** The claimed runs, as parallel lists in the order of the fences. */
interface Taken {
  /** The jobs of runs of slots, by the run's index. */
  readonly jobs: readonly (string | undefined)[] | null
  /** Runs that were not leased. */
  readonly parked: ReadonlySet<string> | null
  readonly ids: readonly string[]
  /** Null when all runs come from one lane. */
  readonly lanes: readonly string[] | null
  /** Null when all traits are 0. */
  readonly traits: readonly string[] | null
  /** Null when no run has a gate. */
  readonly gates: readonly string[] | null
  readonly gave: readonly LaneGave[]
  /** The lanes that the claim examined; null for all of them. */
  readonly looked: ReadonlySet<number> | null
  /** The lanes with limits of concurrency; null when none has one. */
  readonly limited: ReadonlySet<number> | null
}

interface LaneGave extends LaneYield {
  readonly lastPos: string
}

/** The definitions of runs, as parallel lists; `at` maps run ids to indexes, null = same order. */
interface Definitions {
  at: Map<string, number> | null
  /** (timeout in ms << 16) | max_attempts */
  readonly specs: string[]
  readonly duesMs: string[]
  readonly payloads: string[]
  /** Retry policy, trace and slot; empty for runs without any of them. */
  extras: string[]
}

/** Separates joined texts: JSON and validated texts cannot contain it. */
const SEPARATOR = '\u001e'
/** Column of the examined lanes. */
const LOOKED = 16
/** Columns of the runs that went back to the queue, and of the gates of all taken runs. */
const POSTPONED = 17
const GATES = 18
/** Column of the lanes with limits of concurrency. */
const LIMITED = 19

type Text = string | null | undefined

const NOTHING: ClaimResult = {
  ...{ sessionAlive: false, runs: [], more: false, nextDueInMs: null, parked: [], gave: [] },
}

const list = (joined: Text): string[] => (joined ? joined.split(',') : [])

/** The definitions that the claim itself returns: today's runs with payloads of common size. */
function definitionsOf(columns: Row, takenIds: Text): Definitions {
  const [ids, specs, dues, payloads, extras] = columns
  const definitions: Definitions = {
    at: null,
    specs: list(specs),
    duesMs: list(dues),
    payloads: payloads?.split(SEPARATOR) ?? [],
    extras: [],
  }
  // Only separators means that every element is empty.
  if (extras && extras.length >= definitions.specs.length)
    definitions.extras = extras.split(SEPARATOR)
  if (ids !== null || definitions.payloads.includes(''))
    definitions.at = places(ids ?? takenIds, definitions)
  return definitions
}

function places(ids: Text, { payloads }: Definitions): Map<string, number> {
  const at = new Map<string, number>()
  list(ids).forEach((id, i) => {
    if (payloads[i]) at.set(id, i)
  })
  return at
}

export class RunClaims {
  readonly #database: Database
  readonly #marks = new LaneMarks()

  constructor(database: Database) {
    this.#database = database
    database.onClaimConnect.push(() => this.#marks.forget())
  }

  /**
   * Consecutive large claims use a separate connection, so that hints arrive on the other one
   * between claims.
   */
  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const { claim, secondClaim } = this.#database
    const channel = request.bulk ? secondClaim.orUntilConnected(claim) : claim
    try {
      return await this.#claimOn(channel, request)
    } catch (error) {
      // Its runs are back in the queue, and a concurrent claim may have passed them.
      this.#marks.forget()
      throw error
    }
  }

  async #claimOn(channel: Channel, request: ClaimRequest): Promise<ClaimResult> {
    const database = this.#database
    const sentAtMs = database.localClock.monotonicMs()
    const turn = this.#marks.turn()
    const scans = request.lanes.map((lane) => this.#marks.begin(lane.id, sentAtMs))
    const statement = database.statements.onDay('work/claim-runs', database.clock.nowMs())
    const [answer] = await channel.pinnedOne(statement, [
      request.sessionId,
      request.fence,
      int4Array(request.lanes.map((lane) => lane.id)),
      int8Array(scans.map((scan) => positionAt(scan.startMs))),
      int2Array(request.lanes.map((lane) => 10 - lane.priority)),
      request.limit,
      int4Array(request.weights ?? request.lanes.map(() => 1)),
      request.lanes.some((lane) => lane.ageingMs)
        ? int8ArrayOfNumbers(request.lanes.map((lane) => lane.ageingMs ?? null))
        : null,
    ])
    if (!answer) return NOTHING
    const [xmin, xmax, bound, next, gave, ids, lanes, traits, jobPlaces, jobIds, parkedIds] = answer
    const boundMs = positionMs(bound as string)
    database.clock.sample(sentAtMs, boundMs + 0.5)
    this.#marks.checkBound(turn, boundMs)
    const parked = list(parkedIds)
    const left = [...parked, ...list(answer[POSTPONED])]
    const taken: Taken = {
      jobs: jobsOf(jobPlaces, jobIds),
      parked: left.length > 0 ? new Set(left) : null,
      ids: list(ids),
      lanes: lanes ? list(lanes) : null,
      traits: traits ? list(traits) : null,
      gave: yields(gave),
      looked: lanesIn(answer[LOOKED]),
      gates: answer[GATES] ? list(answer[GATES]) : null,
      limited: lanesIn(answer[LIMITED]),
    }
    return {
      sessionAlive: true,
      parked,
      gave: taken.gave,
      more: this.#note(request, turn, scans, taken, boundMs, {
        xmin: Number(xmin),
        xmax: Number(xmax),
      }),
      runs: await this.#describe(request, taken, definitionsOf(answer.slice(11), ids), boundMs),
      nextDueInMs:
        next === null || next === undefined ? null : Math.max(0, positionMs(next) - boundMs),
    }
  }

  /** Updates the marks with the reach in each lane; returns whether a lane may have more runs. */
  #note(
    request: ClaimRequest,
    turn: ClaimTurn,
    scans: readonly LaneScan[],
    taken: Taken,
    boundMs: number,
    snapshot: Snapshot,
  ): boolean {
    const nowMs = this.#database.localClock.monotonicMs()
    const gave = new Map(taken.gave.map((yielded) => [yielded.lane, yielded]))
    const filled = taken.ids.length >= request.limit
    let more = filled
    request.lanes.forEach((lane, i) => {
      const count = gave.get(lane.id)
      const full = count !== undefined && (filled || count.full)
      more ||= full
      // A full lane was seen up to its last run. A lane that gave nothing to a full batch was not
      // seen at all, and neither was a paused one.
      const unseen = (filled && !count) || taken.looked?.has(lane.id) === false
      const reachMs = full ? positionMs(count.lastPos) - 1 : unseen ? null : boundMs
      this.#marks.reached(turn, scans[i] as LaneScan, reachMs, snapshot, nowMs)
    })
    return more
  }

  /** Combines the taken runs with their definitions, in the order in which they start. */
  async #describe(
    request: ClaimRequest,
    taken: Taken,
    definitions: Definitions,
    boundMs: number,
  ): Promise<ClaimedRun[]> {
    const { at } = definitions
    if (at && at.size < taken.ids.length)
      await this.#readOthers(
        taken.ids.filter((id) => !at.has(id)),
        definitions,
        at,
      )
    const lanes = new Map(request.lanes.map((lane) => [lane.id, lane]))
    const runs: ClaimedRun[] = []
    let fence = BigInt(request.fence)
    for (let i = 0; i < taken.ids.length; i++) {
      const id = taken.ids[i] as string
      fence += 1n
      if (taken.parked?.has(id)) continue
      const place = at ? at.get(id) : i
      invariant(place !== undefined, `run ${id} is in the queue and has no definition`)
      const lane = lanes.get(laneAt(taken, i)) as Lane
      const traits = taken.traits ? Number(taken.traits[i]) : 0
      const bits = traits >>> 21
      const definition = definitionOf(
        definitions.specs[place] as string,
        definitions.duesMs[place] as string,
        definitions.payloads[place] as string,
        definitions.extras[place],
        { bits, nowMs: boundMs },
      )
      runs.push({
        id,
        fence,
        lane: lane.id,
        tenantId: lane.tenantId,
        handler: lane.handler,
        queue: lane.queue,
        priority: lane.priority + aged(lane, definition.dueMs, boundMs),
        weight: lane.weight ?? 1,
        limited: taken.limited?.has(lane.id) ?? false,
        attempt: traits & 0xffff,
        crashes: (traits >>> 16) & 0x1f,
        traits: bits,
        jobId: taken.jobs?.[i] ?? null,
        gate: gateAt(taken, i),
        ...definition,
      })
    }
    return inStartOrder(runs, taken, lanes)
  }

  /** Reads definitions of other days and large payloads, day by day, some at a time. */
  async #readOthers(
    ids: readonly string[],
    into: Definitions,
    at: Map<string, number>,
  ): Promise<void> {
    await readDefinitions(this.#database, ids, ([id, spec, dueMs, payload, extra]) => {
      const place = into.specs.push(spec as string) - 1
      into.duesMs[place] = dueMs as string
      into.payloads[place] = payload as string
      into.extras[place] = extra as string
      at.set(id as string, place)
    })
  }
}

/** How many priorities a run gains by ageing, while it waits. */
function aged({ ageingMs, priority }: Lane, dueMs: number, nowMs: number): number {
  if (!ageingMs) return 0
  const steps = Math.floor((nowMs - dueMs) / ageingMs)
  return Math.min(limits.priorityMax - priority, Math.max(0, steps))
}

function jobsOf(places: Text, ids: Text): readonly (string | undefined)[] | null {
  if (!ids) return null
  if (!places) return list(ids)
  const jobs: (string | undefined)[] = []
  const jobIds = list(ids)
  list(places).forEach((place, i) => {
    jobs[Number(place)] = jobIds[i]
  })
  return jobs
}

const lanesIn = (lanes: Text) =>
  lanes === null || lanes === undefined ? null : new Set(list(lanes).map(Number))

const laneAt = (taken: Taken, i: number): number =>
  taken.lanes ? Number(taken.lanes[i]) : (taken.gave[0] as LaneGave).lane

function gateAt({ gates }: Taken, i: number): bigint | null {
  const gate = gates?.[i]
  return gate ? BigInt(gate) : null
}

function yields(gave: Text): LaneGave[] {
  return list(gave).map((text) => {
    const [lane, runs, lastPos, share] = text.split(' ')
    const full = Number(runs) >= Number(share)
    return { lane: Number(lane), runs: Number(runs), full, lastPos: lastPos as string }
  })
}

/** Sorts by priority, then by id and so by due time: the runs arrive in the order of their ids. */
function inStartOrder(
  runs: ClaimedRun[],
  { gave }: Taken,
  lanes: ReadonlyMap<number, Lane>,
): ClaimedRun[] {
  const priorityOf = (lane: number) => lanes.get(lane)?.priority ?? 0
  const priorities = new Set(gave.map(({ lane }) => priorityOf(lane)))
  if (priorities.size < 2) return runs
  return runs.sort((a, b) => priorityOf(b.lane) - priorityOf(a.lane))
}
