/**
 * The path from a node to the server and back, with a delay and faults in each direction. A call is
 * applied at one instant or not at all; the client may receive a different answer.
 */
import type { Line, MemoryDatabase } from '@punctual/store/memory'
import type { Chance } from './chance.ts'
import type { CallFault } from './faults.ts'
import type { Machine, Timeline } from './timeline.ts'

/** How long a client waits for an answer. */
const PATIENCE_MS = 10_000

class ConnectionLost extends Error {
  readonly code = 'ECONNRESET'
}

class Deadlock extends Error {
  readonly code = '40P01'
}

export interface Server {
  readonly db: MemoryDatabase
  /** Whether the server answers. */
  up: boolean
  /** Changes when the server goes down: calls in flight then fail. */
  generation: number
}

export interface FaultLineOptions {
  readonly timeline: Timeline
  readonly machine: Machine
  readonly server: Server
  readonly chance: Chance
  /** Decides the fault of a call; null for none. */
  readonly faultOf: (chance: Chance) => CallFault | null
  readonly onCall: (machine: Machine, what: string, outcome: string) => void
}

export class FaultLine implements Line {
  readonly #options: FaultLineOptions

  constructor(options: FaultLineOptions) {
    this.#options = options
  }

  call<T>(what: string, work: () => T): Promise<T> {
    const { machine, chance, faultOf } = this.#options
    // A dead machine does nothing more.
    if (!machine.alive) return new Promise(() => undefined)
    const fault = faultOf(chance)
    return new Promise((resolve, reject) => {
      const answer = (inMs: number, outcome: string, deliver: () => void) =>
        this.#answer(inMs, `${what} ${outcome}`, deliver)
      const fail = (inMs: number, why: CallFault | 'down') =>
        answer(inMs, why, () => reject(new ConnectionLost(`Connection terminated (${why})`)))
      if (fault === 'failBefore' || fault === 'hangBefore')
        return fail(fault === 'failBefore' ? this.#wayMs() : PATIENCE_MS, fault)
      if (fault === 'deadlock')
        return answer(this.#wayMs(), fault, () => reject(new Deadlock('deadlock detected')))
      if (fault === 'applyLate') {
        fail(PATIENCE_MS, fault)
        return this.#arrive(PATIENCE_MS + chance.int(0, 20_000), what, work, () => undefined)
      }
      const wayMs = this.#wayMs() + (fault === 'delay' ? chance.int(100, 5_000) : 0)
      const backMs = this.#wayMs() + (fault === 'delayAnswer' ? chance.int(100, 5_000) : 0)
      this.#arrive(wayMs, what, work, (result) => {
        if (result.kind === 'down') fail(0, 'down')
        else if (fault === 'failAfter') fail(this.#wayMs(), fault)
        else if (fault === 'hangAfter') fail(PATIENCE_MS, fault)
        else if (result.kind === 'done') answer(backMs, 'ok', () => resolve(result.value as T))
        else answer(this.#wayMs(), result.error.message, () => reject(result.error))
      })
    })
  }

  #wayMs(): number {
    return this.#options.chance.fraction() * 2
  }

  /**
   * Applies a call that arrives, even if its sender is gone by then; a server that is down does
   * not.
   */
  #arrive(inMs: number, what: string, work: () => unknown, then: (result: Applied) => void): void {
    const { timeline, server, machine, onCall } = this.#options
    const { generation } = server
    timeline.after(inMs, null, () => {
      if (!server.up || server.generation !== generation) return then({ kind: 'down' })
      const result = apply(server.db, work)
      onCall(machine, what, result.kind === 'done' ? 'applied' : result.kind)
      then(result)
    })
  }

  #answer(inMs: number, outcome: string, deliver: () => void): void {
    const { timeline, machine, onCall } = this.#options
    timeline.after(inMs, machine, () => {
      onCall(machine, outcome, 'answered')
      deliver()
    })
  }
}

type Applied =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly error: Error }
  | { readonly kind: 'down' }

function apply(db: MemoryDatabase, work: () => unknown): Applied {
  try {
    return { kind: 'done', value: db.transact(work) }
  } catch (error) {
    return { kind: 'refused', error: error as Error }
  }
}
