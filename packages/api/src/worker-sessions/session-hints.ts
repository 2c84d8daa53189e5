/** What wakes remote workers: the hints of this node, given to those whom they concern. */
import type { OpenSession } from '@punctual/core/ports'
import { HintLog, type LoggedHint } from './hint-log.ts'
import type { LaneCache } from './lane-cache.ts'
import type { WorkerPorts, WorkHint } from './ports.ts'
import type { WaitingClaims } from './waiting-claims.ts'

/** What was hinted at, and where to go on from. */
interface Told {
  readonly cursor: string
  /** Lanes that have something due; null when it may be any. */
  readonly lanes: number[] | null
  readonly new_lane: boolean
  /** Runs of this worker that are asked to end. */
  readonly cancels: string[]
  readonly drains: boolean
}

export class SessionHints {
  readonly #ports: WorkerPorts
  readonly #lanes: LaneCache
  readonly #room: WaitingClaims
  readonly #log: HintLog

  constructor(ports: WorkerPorts, lanes: LaneCache, room: WaitingClaims) {
    this.#ports = ports
    this.#lanes = lanes
    this.#room = room
    this.#log = new HintLog(ports.random.token(), ports.clock)
    ports.onHint((hint) => this.#hinted(hint))
  }

  #hinted(hint: WorkHint): void {
    const { lanes, newLane, sessions, cancels } = hint
    if (newLane) this.#lanes.forget()
    if (cancels) return void this.#cancelled(cancels).catch(() => undefined)
    if (sessions || newLane) this.#room.wakeSessions(sessions ?? null)
    else if (lanes === null || lanes.length > 0) this.#room.wakeLanes(lanes)
    this.#log.add({ lanes, newLane, ...(sessions && { sessions }) })
  }

  /** Asked once for all that wait: who holds what is nobody else's business. */
  async #cancelled(runIds: readonly string[]): Promise<void> {
    if (!this.#log.awaited) return
    const cancels = new Map<string, string[]>()
    for (const [runId, sessionId] of await this.#ports.remoteSessions.holders(runIds)) {
      const of = cancels.get(sessionId)
      if (of) of.push(runId)
      else cancels.set(sessionId, [runId])
    }
    this.#log.add({ lanes: [], newLane: false, cancels })
  }

  /** What was hinted at since the cursor and concerns the session; waits for it if there is nothing. */
  async wait(
    session: OpenSession,
    after: string | undefined,
    waitMs: number,
    gone: AbortSignal,
  ): Promise<Told> {
    const { clock, remoteSessions, draining } = this.#ports
    const ending = AbortSignal.any([gone, draining])
    const endMs = clock.monotonicMs() + waitMs
    for (;;) {
      const hints = this.#log.after(after)
      const { cursor } = this.#log
      const { drains } = session
      if (!hints) return { cursor, lanes: null, new_lane: true, cancels: [], drains }
      const told = await this.#concerning(session, hints)
      const leftMs = endMs - clock.monotonicMs()
      if (!told && leftMs > 0 && !ending.aborted) {
        after = cursor
        await this.#log.next(leftMs, ending)
        continue
      }
      const called = hints.some((hint) => hint.sessions?.includes(session.id))
      const now = called ? await remoteSessions.find(session.id) : session
      const nothing = { lanes: [], new_lane: false, cancels: [] }
      return { cursor, ...(told ?? nothing), drains: now?.drains ?? drains }
    }
  }

  async #concerning(
    session: OpenSession,
    hints: readonly LoggedHint[],
  ): Promise<Omit<Told, 'cursor' | 'drains'> | null> {
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
