/**
 * The claim of a remote worker: a long poll that ends when something is due. It is woken by hints and by the next known
 * due time, and asks the database nothing in between, but for a slow poll in case a hint was lost.
 *
 * Nothing of a claim is needed here, so that any node serves any session. When an answer is lost, the leases are there and
 * nobody knows of them: the next claim of the worker names all that it holds, and is answered with the others.
 */
import { limits, PunctualError } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimResult, OpenSession } from '@punctual/core/ports'
import { decodeRunPolicy, traits } from '@punctual/core/run'
import { readOutcome, writeRun } from '@punctual/core/wire'
import { isToken } from './is-token.ts'
import type { KnownLeases } from './known-leases.ts'
import type { LaneCache } from './lane-cache.ts'
import type { Waiting, WorkerPorts } from './ports.ts'
import type { WaitingClaim, WaitingClaims } from './waiting-claims.ts'

const POLL_MS = 1_000
const POLL_WITH_HINTS_MS = 5_000
/** Whoever has waited for longer may have lost the right to an answer. */
const RECHECK_MS = 500
/** Many that wait for the same moment come one after another. */
const APART_MS = 2
const APART_MS_MAX = 250

const NOT_REMOTE = {
  name: 'PunctualError',
  code: 'not_remote',
  message:
    'A run with delivery transactional needs a worker that is connected to the database, and a remote one came.',
}

export interface ClaimQuestion {
  readonly limit: number
  readonly wait_ms?: number
  /** The fences of all that it holds: what else the session has leased comes with the answer. */
  readonly held?: readonly string[]
  /** Where to take from, in this order. @default all that it can take from */
  readonly lanes?: readonly number[]
  /** How lanes of one priority share, in the order of `lanes`. */
  readonly weights?: readonly number[]
  readonly bulk?: boolean
}

type Answer = Pick<ClaimResult, 'runs' | 'more' | 'nextDueInMs' | 'gave'> & {
  readonly drains: boolean
}

export class RemoteClaims {
  readonly #ports: WorkerPorts
  readonly #lanes: LaneCache
  readonly #room: WaitingClaims
  readonly #known: KnownLeases
  #turn = 0

  constructor(ports: WorkerPorts, lanes: LaneCache, room: WaitingClaims, known: KnownLeases) {
    this.#ports = ports
    this.#lanes = lanes
    this.#room = room
    this.#known = known
  }

  /** The answer as JSON text; null when nobody is there any more to have it. */
  async claim(
    session: OpenSession,
    question: ClaimQuestion,
    { gone, recheck }: Waiting,
  ): Promise<string | null> {
    const askedAtMs = this.#ports.clock.monotonicMs()
    const strays = question.held ? await this.#strays(session, question) : []
    const answer =
      strays.length > 0 || question.limit === 0
        ? { runs: strays, more: true, nextDueInMs: 0, gave: [], drains: session.drains }
        : await this.#claim(session, question, AbortSignal.any([gone, this.#ports.draining]))
    // They need not wait for somebody to miss them. Should this fail, the reaper looks after them.
    const giveBack = () => this.#ports.work.giveBack(answer.runs).catch(() => undefined)
    if (answer.runs.length > 0 && this.#ports.clock.monotonicMs() - askedAtMs > RECHECK_MS)
      await recheck().catch(async (refusal) => {
        await giveBack()
        throw refusal
      })
    this.#known.add(session.id, answer.runs)
    const text = await this.#write(answer)
    if (answer.runs.length > 0) gone.addEventListener('abort', giveBack, { once: true })
    if (!gone.aborted) return text
    await giveBack()
    return null
  }

  async #claim(
    session: OpenSession,
    question: ClaimQuestion,
    ending: AbortSignal,
  ): Promise<Answer> {
    const endMs = this.#ports.clock.monotonicMs() + (question.wait_ms ?? 0)
    for (;;) {
      const lanes = await this.#lanesFor(session, question)
      const visit = this.#room.add(session.id, lanes)
      try {
        const answer = await this.#look(visit, session, question, lanes, { endMs, ending })
        if (answer) return answer
        session = await this.#again(session)
        // From here on the next look follows what was heard.
        visit.clearHint()
      } finally {
        visit.leave()
      }
    }
  }

  /** Claims once; null after a rest that was worth it. */
  async #look(
    visit: WaitingClaim,
    session: OpenSession,
    question: ClaimQuestion,
    lanes: readonly Lane[],
    { endMs, ending }: { readonly endMs: number; readonly ending: AbortSignal },
  ): Promise<Answer | null> {
    const result = await this.#ask(session, question, lanes)
    if (result.more) this.#room.wakeLanes(result.gave.map(({ lane }) => lane))
    const answer = { ...result, drains: session.drains }
    const leftMs = endMs - this.#ports.clock.monotonicMs()
    if (result.runs.length > 0 || leftMs <= 0 || ending.aborted || session.drains) return answer
    await this.#rest(visit, result, leftMs, ending)
    return ending.aborted ? answer : null
  }

  async #rest(
    visit: WaitingClaim,
    { nextDueInMs }: ClaimResult,
    leftMs: number,
    ending: AbortSignal,
  ) {
    const { hintsArrive, random } = this.#ports
    const apartMs = Math.min(APART_MS_MAX, (this.#room.size - 1) * APART_MS)
    const dueInMs = (nextDueInMs ?? Number.POSITIVE_INFINITY) + apartMs * random.fraction()
    const pollMs = hintsArrive() ? POLL_WITH_HINTS_MS : POLL_MS
    await visit.wait(Math.min(leftMs, dueInMs, pollMs), ending)
  }

  /** It may have been asked to drain, or have other handlers by now. */
  async #again(session: OpenSession): Promise<OpenSession> {
    return (await this.#ports.remoteSessions.find(session.id)) ?? expired(session)
  }

  async #ask(
    session: OpenSession,
    question: ClaimQuestion,
    lanes: readonly Lane[],
  ): Promise<ClaimResult> {
    const { work, random } = this.#ports
    const weights = question.lanes ? weightsOf(question, lanes) : lanes.map((it) => it.weight ?? 1)
    const result = await work.claim({
      sessionId: session.id,
      fence: random.token(),
      limit: Math.min(question.limit, limits.runsPerClaim),
      lanes,
      weights,
      bulk: question.bulk ?? false,
    })
    if (!result.sessionAlive) return expired(session)
    const runs = await this.#withoutTransactional(session, result.runs)
    // Those that can start are not kept waiting; should this fail, the reaper looks after them.
    if (result.parked.length > 0) work.resolveParked(result.parked).catch(() => undefined)
    return this.#bounded({ ...result, runs })
  }

  /** What is to commit with a transaction on the database cannot happen elsewhere: such an attempt fails here. */
  async #withoutTransactional(session: OpenSession, runs: readonly ClaimedRun[]) {
    const refused = runs.filter(({ policy }) => decodeRunPolicy(policy).transactional)
    if (refused.length === 0) return runs
    const { work, random } = this.#ports
    const settlements = refused.map((run) => {
      const told = { run_id: run.id, fence: run.fence.toString(), error: NOT_REMOTE }
      return readOutcome({ ...told, outcome: 'failed' }, run, random.fraction())
    })
    await work.settle(session.id, settlements)
    return runs.filter((run) => !refused.includes(run))
  }

  /** Of large payloads as many as fit into an answer; the others go back at once. */
  async #bounded(result: ClaimResult): Promise<ClaimResult> {
    let bytes = 0
    const over = result.runs.findIndex(({ payload }, i) => {
      bytes += payload.length
      return i > 0 && bytes > limits.claimBytes
    })
    if (over < 0) return result
    await this.#ports.work.giveBack(result.runs.slice(over))
    return { ...result, runs: result.runs.slice(0, over), more: true }
  }

  async #lanesFor(session: OpenSession, { lanes: asked }: ClaimQuestion): Promise<readonly Lane[]> {
    const mayHave = await this.#lanes.of(session)
    if (asked) {
      const byId = new Map(mayHave.map((lane) => [lane.id, lane]))
      return [...new Set(asked)].flatMap((id) => byId.get(id) ?? [])
    }
    // Highest priority first, rotated inside of one priority.
    this.#turn++
    return mayHave
      .map((lane, i) => ({ lane, place: (i + this.#turn) % mayHave.length }))
      .sort((a, b) => b.lane.priority - a.lane.priority || a.place - b.place)
      .map(({ lane }) => lane)
  }

  /** Under new fences: somebody may be about to give them back, who noticed that the answer was lost. */
  async #strays(
    session: OpenSession,
    { held = [] }: ClaimQuestion,
  ): Promise<readonly ClaimedRun[]> {
    const { work, remoteSessions, random } = this.#ports
    const strays = await work.strayLeases(session.id, held.filter(isToken).map(BigInt))
    if (strays.length === 0) return []
    const some = strays.slice(0, limits.runsPerClaim)
    const leases = await remoteSessions.fenceAgain(session.id, some, random.token())
    return remoteSessions.define(leases)
  }

  async #write({ runs, more, nextDueInMs, gave, drains }: Answer): Promise<string> {
    const kept = runs.filter((run) => (run.traits & traits.checkpointed) !== 0)
    const checkpoints =
      kept.length > 0 ? await this.#ports.work.checkpoints(kept.map(({ id }) => id)) : null
    const texts = runs.map((run) => writeRun(run, checkpoints?.get(run.id) ?? null))
    const yields = gave.map(({ lane, runs: count, full }) => ({ lane, runs: count, full }))
    const rest = { more, next_due_in_ms: nextDueInMs, drains, gave: yields }
    return `{"runs":[${texts.join(',')}],${JSON.stringify(rest).slice(1)}`
  }
}

function expired({ id }: OpenSession): never {
  throw new PunctualError(
    'session_not_found',
    `The lease of session ${id} has run out. Open a new session.`,
    { id },
  )
}

/** In the order of the lanes that are left. */
function weightsOf({ lanes = [], weights }: ClaimQuestion, left: readonly Lane[]): number[] {
  const of = new Map(lanes.map((id, i) => [id, weights?.[i] ?? 1]))
  return left.map(({ id }) => of.get(id) ?? 1)
}
