/**
 * The claim: one statement that takes due runs of some lanes under fences made here beforehand. Keeps the
 * marks that tell where each lane's scan begins, and reads what older runs are to do, day by day.
 */
import { invariant, limits } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimRequest, ClaimResult, LaneYield } from '@punctual/core/ports'
import { int2Array, int4Array, int8Array, int8ArrayOfNumbers } from '../connection/binary-arrays.ts'
import type { Channel, Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { type ClaimTurn, LaneMarks, type LaneScan, type Snapshot } from './lane-marks.ts'
import { definitionOf, readDefinitions } from './run-definitions.ts'

const POSITION_BITS = 20n
const positionMs = (pos: string) => Number(BigInt(pos) >> POSITION_BITS)

/** What the claim took, as parallel lists in the order of the fences. */
interface Taken {
  /** Of those that are slots of jobs, by their place. */
  readonly jobs: readonly (string | undefined)[] | null
  /** What was not leased. */
  readonly parked: ReadonlySet<string> | null
  readonly ids: readonly string[]
  /** Null when all are of the one lane that gave something. */
  readonly lanes: readonly string[] | null
  /** Null when all are 0. */
  readonly traits: readonly string[] | null
  /** Null when none has one. */
  readonly gates: readonly string[] | null
  readonly gave: readonly LaneGave[]
  /** The lanes that were looked into; null when all were. */
  readonly looked: ReadonlySet<number> | null
  /** The lanes that have limits of concurrency; null when none has. */
  readonly limited: ReadonlySet<number> | null
}

interface LaneGave extends LaneYield {
  readonly lastPos: string
}

/** What runs are to do, as parallel lists, and where each run is in them; null = in the order taken. */
interface Definitions {
  at: Map<string, number> | null
  /** (timeout in ms << 16) | max_attempts */
  readonly specs: string[]
  readonly duesMs: string[]
  readonly payloads: string[]
  /** Retry, trace and slot; empty for runs that have none of them. */
  extras: string[]
}

/** Stand between joined texts: JSON and checked texts cannot hold them. */
const SEPARATOR = '\u001e'
/** Which column of the answer names the lanes that were looked into. */
const LOOKED = 16
/** Which one names the runs that went back, and which the gates of all that were taken. */
const POSTPONED = 17
const GATES = 18
/** Which one names the lanes that have limits of concurrency. */
const LIMITED = 19

type Text = string | null | undefined

const NOTHING: ClaimResult = {
  ...{ sessionAlive: false, runs: [], more: false, nextDueInMs: null, parked: [], gave: [] },
}

const list = (joined: Text): string[] => (joined ? joined.split(',') : [])

/** What the claim itself tells: runs of today with payloads of common size. */
function definitionsOf(columns: Row, takenIds: Text): Definitions {
  const [ids, specs, dues, payloads, extras] = columns
  const definitions: Definitions = {
    at: null,
    specs: list(specs),
    duesMs: list(dues),
    payloads: payloads?.split(SEPARATOR) ?? [],
    extras: [],
  }
  // Nothing but separators stands for nothing at all.
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

  /** Large claims that follow each other have a connection of their own: hints arrive on the other one, between claims. */
  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const { claim, claimBeside } = this.#database
    const channel = request.bulk ? claimBeside.orUntilConnected(claim) : claim
    try {
      return await this.#claimOn(channel, request)
    } catch (error) {
      // What it had taken is back in the queue, and the other one may have passed it.
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
    const [about] = await channel.pinnedOne(statement, [
      request.sessionId,
      request.fence,
      int4Array(request.lanes.map((lane) => lane.id)),
      int8Array(scans.map((scan) => BigInt(Math.floor(scan.startMs)) << POSITION_BITS)),
      int2Array(request.lanes.map((lane) => 10 - lane.priority)),
      request.limit,
      int4Array(request.weights ?? request.lanes.map(() => 1)),
      request.lanes.some((lane) => lane.ageingMs)
        ? int8ArrayOfNumbers(request.lanes.map((lane) => lane.ageingMs ?? null))
        : null,
    ])
    if (!about) return NOTHING
    const [xmin, xmax, bound, next, gave, ids, lanes, traits, jobPlaces, jobIds, parkedIds] = about
    const boundMs = positionMs(bound as string)
    database.clock.sample(sentAtMs, boundMs + 0.5)
    this.#marks.checkBound(turn, boundMs)
    const parked = list(parkedIds)
    const left = [...parked, ...list(about[POSTPONED])]
    const taken: Taken = {
      jobs: jobsOf(jobPlaces, jobIds),
      parked: left.length > 0 ? new Set(left) : null,
      ids: list(ids),
      lanes: lanes ? list(lanes) : null,
      traits: traits ? list(traits) : null,
      gave: yields(gave),
      looked: lanesIn(about[LOOKED]),
      gates: about[GATES] ? list(about[GATES]) : null,
      limited: lanesIn(about[LIMITED]),
    }
    return {
      sessionAlive: true,
      parked,
      gave: taken.gave,
      more: this.#note(request, turn, scans, taken, boundMs, {
        xmin: Number(xmin),
        xmax: Number(xmax),
      }),
      runs: await this.#describe(request, taken, definitionsOf(about.slice(11), ids), boundMs),
      nextDueInMs:
        next === null || next === undefined ? null : Math.max(0, positionMs(next) - boundMs),
    }
  }

  /** Tells the marks how far each lane was seen; returns whether a lane may have more. */
  #note(
    request: ClaimRequest,
    turn: ClaimTurn,
    scans: readonly LaneScan[],
    taken: Taken,
    boundMs: number,
    snapshot: Snapshot,
  ): boolean {
    const nowMs = this.#database.localClock.monotonicMs()
    const gave = new Map(taken.gave.map((of) => [of.lane, of]))
    const filled = taken.ids.length >= request.limit
    let more = filled
    request.lanes.forEach((lane, i) => {
      const count = gave.get(lane.id)
      const full = count !== undefined && (filled || count.full)
      more ||= full
      // A full lane was seen up to its last run; an untouched one behind a full batch was not seen at all, nor was
      // one that is paused.
      const unseen = (filled && !count) || taken.looked?.has(lane.id) === false
      const reachMs = full ? positionMs(count.lastPos) - 1 : unseen ? null : boundMs
      this.#marks.reached(turn, scans[i] as LaneScan, reachMs, snapshot, nowMs)
    })
    return more
  }

  /** Puts together what was taken and what it is to do, in the order in which it is to start. */
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

  /** Reads runs of other days and with large payloads, day by day and a few at a time. */
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

/** How many priorities higher a run counts than it was submitted with, for having waited. */
function aged({ ageingMs, priority }: Lane, dueMs: number, nowMs: number): number {
  if (!ageingMs) return 0
  const steps = Math.floor((nowMs - dueMs) / ageingMs)
  return Math.min(limits.priorityMax - priority, Math.max(0, steps))
}

function jobsOf(places: Text, ids: Text): readonly (string | undefined)[] | null {
  if (!ids) return null
  if (!places) return list(ids)
  const jobs: (string | undefined)[] = []
  const of = list(ids)
  list(places).forEach((place, i) => {
    jobs[Number(place)] = of[i]
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
  return list(gave).map((of) => {
    const [lane, runs, lastPos, share] = of.split(' ')
    const full = Number(runs) >= Number(share)
    return { lane: Number(lane), runs: Number(runs), full, lastPos: lastPos as string }
  })
}

/** By priority, then by id, which is by due time: they come in the order of their ids. */
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
