/**
 * The claim of a remote worker: a long poll that ends when a run is due. Hints and the next known
 * due time wake it; in between it queries the database only in a slow poll, in case a hint was
 * lost.
 *
 * A claim keeps no state here, so any node serves any session. When an answer is lost, its leases
 * exist without the worker knowing: its next claim names all leases that it holds, and gets the
 * others.
 */
import { limits, PunctualError } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimResult, OpenSession } from '@punctual/core/ports'
import { decodeRunPolicy, traits } from '@punctual/core/run'
import { readOutcome, writeRun } from '@punctual/core/wire'
import { AnswerBudget, type Reserved } from './answer-budget.ts'
import { isToken } from './is-token.ts'
import type { KnownLeases } from './known-leases.ts'
import type { LaneCache } from './lane-cache.ts'
import type { Waiting, WorkerPorts } from './ports.ts'
import type { WaitingClaim, WaitingClaims } from './waiting-claims.ts'

const POLL_MS = 1_000
const POLL_WITH_HINTS_MS = 5_000
/** After a longer wait the caller may have lost its right to an answer. */
const RECHECK_MS = 500
/** Claims that wait for the same instant are spread by this much each. */
const APART_MS = 2
const APART_MS_MAX = 250

const NOT_REMOTE = {
  name: 'PunctualError',
  code: 'not_remote',
  message:
    'A run with delivery "transactional" needs a worker with a database connection; got a remote worker.',
}

export interface RemoteClaimRequest {
  readonly limit: number
  readonly wait_ms?: number
  /** The fences of all leases that it holds: the answer returns the other leases of the session. */
  readonly held?: readonly string[]
  /** The lanes to claim from, in this order. @default all lanes of the session */
  readonly lanes?: readonly number[]
  /** The weights of lanes of equal priority, in the order of `lanes`. */
  readonly weights?: readonly number[]
  readonly bulk?: boolean
}

/** A claim that may not wait for runs still waits this long for its turn. */
const TURN_MS = 1_000
const ANSWER_BYTES_MIN = 1_048_576
const COMMON_RUN_BYTES = 65_536

type Answer = Pick<ClaimResult, 'runs' | 'more' | 'nextDueInMs' | 'gave'> & {
  readonly drains: boolean
  /** The memory that the answer holds until the client has read it. */
  readonly reserved: Reserved | null
}

export class RemoteClaims {
  readonly #ports: WorkerPorts
  readonly #lanes: LaneCache
  readonly #waiting: WaitingClaims
  readonly #known: KnownLeases
  readonly #budget = new AnswerBudget()
  #turn = 0

  constructor(ports: WorkerPorts, lanes: LaneCache, waiting: WaitingClaims, known: KnownLeases) {
    this.#ports = ports
    this.#lanes = lanes
    this.#waiting = waiting
    this.#known = known
  }

  /** The answer as JSON text; null when the client has disconnected. */
  async claim(
    session: OpenSession,
    request: RemoteClaimRequest,
    waiting: Waiting,
  ): Promise<string | null> {
    const startedMs = this.#ports.clock.monotonicMs()
    const ending = AbortSignal.any([waiting.gone, this.#ports.draining])
    const strays = request.held ? await this.#strays(session, request, ending) : null
    const answer = strays ?? (await this.#claim(session, request, ending))
    try {
      return await this.#finish(session, answer, startedMs, waiting)
    } catch (error) {
      answer.reserved?.release()
      throw error
    }
  }

  async #finish(
    session: OpenSession,
    answer: Answer,
    startedMs: number,
    { gone, recheck, whenSent }: Waiting,
  ): Promise<string | null> {
    const { clock } = this.#ports
    // Lets other workers claim the runs at once. When this fails, the reaper returns them.
    const giveBack = () => this.#ports.work.giveBack(answer.runs).catch(() => undefined)
    if (answer.runs.length > 0 && clock.monotonicMs() - startedMs > RECHECK_MS)
      await recheck().catch(async (refusal) => {
        await giveBack()
        throw refusal
      })
    const { text, runs } = await this.#write(answer)
    this.#known.add(session.id, runs)
    if (answer.runs.length > 0) gone.addEventListener('abort', giveBack, { once: true })
    if (gone.aborted) {
      answer.reserved?.release()
      await giveBack()
      return null
    }
    answer.reserved?.shrink(text.length)
    if (answer.reserved) whenSent(answer.reserved.release)
    return text
  }

  async #claim(
    session: OpenSession,
    request: RemoteClaimRequest,
    ending: AbortSignal,
  ): Promise<Answer> {
    const endMs = this.#ports.clock.monotonicMs() + (request.wait_ms ?? 0)
    for (;;) {
      const lanes = await this.#lanesFor(session, request)
      const waiting = this.#waiting.add(session.id, lanes)
      try {
        const answer = await this.#claimOnce(waiting, session, request, lanes, { endMs, ending })
        if (answer) return answer
        session = await this.#reload(session)
        // The next claim covers every hint so far.
        waiting.clearHint()
      } finally {
        waiting.leave()
      }
    }
  }

  /** Claims once; null when it found nothing and has waited for the next try. */
  async #claimOnce(
    waiting: WaitingClaim,
    session: OpenSession,
    request: RemoteClaimRequest,
    lanes: readonly Lane[],
    { endMs, ending }: { readonly endMs: number; readonly ending: AbortSignal },
  ): Promise<Answer | null> {
    const { drains } = session
    const bytes = answerBytesOf(request)
    const reserved = await this.#reserve(session, bytes, endMs, ending)
    if (!reserved) return { ...NO_TURN, drains }
    const result = await this.#claimFrom(session, request, lanes, bytes).catch((error) => {
      reserved.release()
      throw error
    })
    if (result.more) this.#waiting.wakeLanes(result.gave.map(({ lane }) => lane))
    if (result.runs.length > 0) return { ...result, drains, reserved }
    reserved.release()
    const answer = { ...result, drains, reserved: null }
    const leftMs = endMs - this.#ports.clock.monotonicMs()
    if (leftMs <= 0 || ending.aborted || drains) return answer
    await this.#rest(waiting, result, leftMs, ending)
    return ending.aborted ? answer : null
  }

  /** Waits for the memory of an answer; null when the claim has to end before. */
  async #reserve(
    { tenantId }: OpenSession,
    bytes: number,
    endMs: number,
    ending: AbortSignal,
  ): Promise<Reserved | null> {
    const { clock } = this.#ports
    const late = new AbortController()
    const turnMs = Math.max(TURN_MS, endMs - clock.monotonicMs())
    const cancel = clock.after(turnMs, () => late.abort())
    const signal = AbortSignal.any([ending, late.signal])
    return this.#budget.reserve(tenantId, bytes, signal).finally(cancel)
  }

  async #rest(
    waiting: WaitingClaim,
    { nextDueInMs }: ClaimResult,
    leftMs: number,
    ending: AbortSignal,
  ) {
    const { hintsArrive, random } = this.#ports
    const apartMs = Math.min(APART_MS_MAX, (this.#waiting.size - 1) * APART_MS)
    const dueInMs = (nextDueInMs ?? Number.POSITIVE_INFINITY) + apartMs * random.fraction()
    const pollMs = hintsArrive() ? POLL_WITH_HINTS_MS : POLL_MS
    await waiting.wait(Math.min(leftMs, dueInMs, pollMs), ending)
  }

  /** The session may have been asked to drain, or have announced other handlers, meanwhile. */
  async #reload(session: OpenSession): Promise<OpenSession> {
    return (await this.#ports.remoteSessions.find(session.id)) ?? expired(session)
  }

  async #claimFrom(
    session: OpenSession,
    request: RemoteClaimRequest,
    lanes: readonly Lane[],
    bytes: number,
  ): Promise<ClaimResult> {
    const { work, random, claim } = this.#ports
    const weights = request.lanes
      ? weightsOf(request, lanes)
      : lanes.map((lane) => lane.weight ?? 1)
    const result = await claim({
      sessionId: session.id,
      fence: random.token(),
      limit: Math.min(request.limit, limits.runsPerClaim),
      lanes,
      weights,
      bulk: request.bulk ?? false,
      bytes,
    })
    if (!result.sessionAlive) return expired(session)
    const runs = await this.#withoutTransactional(session, result.runs)
    // Not awaited, so that other runs can start; when this fails, the reaper does it.
    if (result.parked.length > 0) work.resolveParked(result.parked).catch(() => undefined)
    return { ...result, runs }
  }

  /** Fails transactional runs: a remote worker cannot commit with a transaction on the database. */
  async #withoutTransactional(session: OpenSession, runs: readonly ClaimedRun[]) {
    const refused = runs.filter(({ policy }) => decodeRunPolicy(policy).transactional)
    if (refused.length === 0) return runs
    const { work, random } = this.#ports
    const settlements = refused.map((run) => {
      const outcome = { run_id: run.id, fence: run.fence.toString(), error: NOT_REMOTE }
      return readOutcome({ ...outcome, outcome: 'failed' }, run, random.fraction())
    })
    await work.settle(session.id, settlements)
    return runs.filter((run) => !refused.includes(run))
  }

  async #lanesFor(
    session: OpenSession,
    { lanes: requested }: RemoteClaimRequest,
  ): Promise<readonly Lane[]> {
    const allowed = await this.#lanes.of(session)
    if (requested) {
      const byId = new Map(allowed.map((lane) => [lane.id, lane]))
      return [...new Set(requested)].flatMap((id) => byId.get(id) ?? [])
    }
    // Highest priority first; lanes of equal priority rotate.
    this.#turn++
    return allowed
      .map((lane, i) => ({ lane, place: (i + this.#turn) % allowed.length }))
      .sort((a, b) => b.lane.priority - a.lane.priority || a.place - b.place)
      .map(({ lane }) => lane)
  }

  /**
   * Gets new fences: another node may have noticed the lost answer and be giving the runs back. The
   * strays that do not fit into the answer keep their fences, and the next claim finds them.
   */
  async #strays(
    session: OpenSession,
    { held = [], limit }: RemoteClaimRequest,
    ending: AbortSignal,
  ): Promise<Answer | null> {
    const { work, remoteSessions, random, clock } = this.#ports
    const empty = { ...NO_TURN, drains: session.drains }
    const strays = await work.strayLeases(session.id, held.filter(isToken).map(BigInt))
    if (strays.length === 0) return limit === 0 ? empty : null
    const reserved = await this.#reserve(session, limits.claimBytes, clock.monotonicMs(), ending)
    if (!reserved) return empty
    try {
      const ids = strays.slice(0, limits.runsPerClaim).map(({ id }) => id)
      const defined = await remoteSessions.define(await remoteSessions.leases(session.id, ids))
      const fenced = await remoteSessions.fenceAgain(session.id, defined, random.token())
      const fences = new Map(fenced.map(({ id, fence }) => [id, fence]))
      const runs = defined.flatMap((run) => {
        const fence = fences.get(run.id)
        return fence === undefined ? [] : [{ ...run, fence }]
      })
      return { ...empty, runs, reserved }
    } catch (error) {
      reserved.release()
      throw error
    }
  }

  /**
   * Writes the runs with their checkpoints. A run whose checkpoint does not fit goes back to the
   * queue.
   */
  async #write(answer: Answer): Promise<{ text: string; runs: readonly ClaimedRun[] }> {
    const { more, nextDueInMs, gave, drains } = answer
    const kept = answer.runs.filter((run) => (run.traits & traits.checkpointed) !== 0)
    const checkpoints =
      kept.length > 0 ? await this.#ports.work.checkpoints(kept.map(({ id }) => id)) : null
    const over = kept.filter(({ id }) => checkpoints?.get(id) === null)
    if (over.length > 0) await this.#ports.work.giveBack(over).catch(() => undefined)
    const runs = over.length > 0 ? answer.runs.filter((run) => !over.includes(run)) : answer.runs
    const texts = runs.map((run) => writeRun(run, checkpoints?.get(run.id) ?? null))
    const yields = gave.map(({ lane, runs: count, full }) => ({ lane, runs: count, full }))
    const rest = {
      ...{ more: more || over.length > 0, next_due_in_ms: nextDueInMs, drains, gave: yields },
    }
    return { text: `{"runs":[${texts.join(',')}],${JSON.stringify(rest).slice(1)}`, runs }
  }
}

/** The answer of a claim that took nothing, and has to be sent again. */
const NO_TURN: Omit<Answer, 'drains'> = {
  ...{ runs: [], more: true, nextDueInMs: 0, gave: [], reserved: null },
}

/**
 * What a claim may load: enough for payloads of a size that is common, so that a claim of few runs
 * does not keep the others waiting.
 */
function answerBytesOf({ limit }: RemoteClaimRequest): number {
  return Math.min(limits.claimBytes, Math.max(ANSWER_BYTES_MIN, limit * COMMON_RUN_BYTES))
}

function expired({ id }: OpenSession): never {
  throw new PunctualError(
    'session_not_found',
    `The lease of session ${id} has run out. Open a new session.`,
    { id },
  )
}

/** The weights of the lanes that are left, in their order. */
function weightsOf({ lanes = [], weights }: RemoteClaimRequest, left: readonly Lane[]): number[] {
  const byLane = new Map(lanes.map((id, i) => [id, weights?.[i] ?? 1]))
  return left.map(({ id }) => byLane.get(id) ?? 1)
}
