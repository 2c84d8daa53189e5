/** Wakes remote workers: passes the hints of this node to the sessions they concern. */
import type { OpenSession } from '@punctual/core/ports'
import { HintLog, type LoggedHint } from './hint-log.ts'
import type { LaneCache } from './lane-cache.ts'
import type { WorkerPorts, WorkHint } from './ports.ts'
import type { WaitingClaims } from './waiting-claims.ts'

/** The answer to a worker that waits for hints. */
interface HintAnswer {
  /** Where the next wait starts. */
  readonly cursor: string
  /** Lanes with due runs; null when it may be any. */
  readonly lanes: number[] | null
  readonly new_lane: boolean
  /** Runs of this worker that are asked to end. */
  readonly cancels: string[]
  readonly drains: boolean
}

export class SessionHints {
  readonly #ports: WorkerPorts
  readonly #lanes: LaneCache
  readonly #waiting: WaitingClaims
  readonly #log: HintLog

  constructor(ports: WorkerPorts, lanes: LaneCache, waiting: WaitingClaims) {
    this.#ports = ports
    this.#lanes = lanes
    this.#waiting = waiting
    this.#log = new HintLog(ports.random.token(), ports.clock)
    ports.onHint((hint) => this.#hinted(hint))
  }

  #hinted(hint: WorkHint): void {
    const { lanes, newLane, sessions, cancels } = hint
    if (newLane) this.#lanes.forget()
    if (cancels) return void this.#cancelled(cancels).catch(() => undefined)
    if (sessions || newLane) this.#waiting.wakeSessions(sessions ?? null)
    else if (lanes === null || lanes.length > 0) this.#waiting.wakeLanes(lanes)
    this.#log.add({ lanes, newLane, ...(sessions && { sessions }) })
  }

  /** Reads the holders once for all waiting sessions; each session gets only its runs. */
  async #cancelled(runIds: readonly string[]): Promise<void> {
    if (!this.#log.awaited) return
    const cancels = new Map<string, string[]>()
    for (const [runId, sessionId] of await this.#ports.remoteSessions.holders(runIds)) {
      const runs = cancels.get(sessionId)
      if (runs) runs.push(runId)
      else cancels.set(sessionId, [runId])
    }
    this.#log.add({ lanes: [], newLane: false, cancels })
  }

  /** The hints since the cursor that concern the session; waits for one when there are none. */
  async wait(
    session: OpenSession,
    after: string | undefined,
    waitMs: number,
    gone: AbortSignal,
  ): Promise<HintAnswer> {
    const { clock, remoteSessions, draining } = this.#ports
    const ending = AbortSignal.any([gone, draining])
    const endMs = clock.monotonicMs() + waitMs
    for (;;) {
      const hints = this.#log.after(after)
      const { cursor } = this.#log
      const { drains } = session
      if (!hints) return { cursor, lanes: null, new_lane: true, cancels: [], drains }
      const found = await this.#hintsFor(session, hints)
      const leftMs = endMs - clock.monotonicMs()
      if (!found && leftMs > 0 && !ending.aborted) {
        after = cursor
        await this.#log.next(leftMs, ending)
        continue
      }
      const called = hints.some((hint) => hint.sessions?.includes(session.id))
      const now = called ? await remoteSessions.find(session.id) : session
      const nothing = { lanes: [], new_lane: false, cancels: [] }
      return { cursor, ...(found ?? nothing), drains: now?.drains ?? drains }
    }
  }

  async #hintsFor(
    session: OpenSession,
    hints: readonly LoggedHint[],
  ): Promise<Omit<HintAnswer, 'cursor' | 'drains'> | null> {
    if (hints.length === 0) return null
    const mine = new Set((await this.#lanes.of(session)).map((lane) => lane.id))
    const any = hints.some((hint) => hint.lanes === null)
    const lanes = new Set(hints.flatMap((hint) => hint.lanes ?? []).filter((id) => mine.has(id)))
    const cancels = hints.flatMap((hint) => hint.cancels?.get(session.id) ?? [])
    const newLane = hints.some((hint) => hint.newLane)
    const called = hints.some((hint) => hint.sessions?.includes(session.id))
    if (!any && !newLane && !called && lanes.size + cancels.length === 0) return null
    return { lanes: any ? null : [...lanes], new_lane: newLane, cancels }
  }
}
