/**
 * A claimed run that reads its parts from the answer of its claim when they are used. A worker holds
 * thousands of runs: decoded in advance, each is a dozen of objects that survive several collections
 * of the young generation, which cost more than the run itself.
 */
import { limits } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun } from '@punctual/core/ports'
import type { RunMarks, TakenDefinitions } from './claim-codec.ts'
import { expiresInMs } from './run-definitions.ts'

/** Properties that the runs of one lane have in common. */
export interface LaneOfClaim extends Lane {
  readonly weight: number
  readonly limited: boolean
}

/** Properties that the runs of one claim have in common. */
export interface ClaimOfRuns {
  /** The fence before the first one. */
  readonly fence: bigint
  readonly boundMs: number
  readonly definitions: TakenDefinitions
  /** The gate of each run, by its place; null when no run has one. */
  readonly gates: readonly string[] | null
}

export class TakenRun implements ClaimedRun {
  readonly id: string
  readonly #claim: ClaimOfRuns
  readonly #lane: LaneOfClaim
  readonly #place: number
  readonly #marks: RunMarks

  constructor(claim: ClaimOfRuns, lane: LaneOfClaim, id: string, place: number, marks: RunMarks) {
    this.id = id
    this.#claim = claim
    this.#lane = lane
    this.#place = place
    this.#marks = marks
  }

  get fence(): bigint {
    return this.#claim.fence + BigInt(this.#place + 1)
  }
  get lane(): number {
    return this.#lane.id
  }
  get tenantId(): number {
    return this.#lane.tenantId
  }
  get handler(): string {
    return this.#lane.handler
  }
  get queue(): string {
    return this.#lane.queue
  }
  get weight(): number {
    return this.#lane.weight
  }
  get limited(): boolean {
    return this.#lane.limited
  }
  get priority(): number {
    const { ageingMs, priority } = this.#lane
    if (!ageingMs) return priority
    // How many priorities it has gained while it waited.
    const steps = Math.floor((this.#claim.boundMs - this.dueMs) / ageingMs)
    return Math.min(limits.priorityMax, priority + Math.max(0, steps))
  }
  get attempt(): number {
    return this.#marks.attempt
  }
  get crashes(): number {
    return this.#marks.crashes
  }
  get traits(): number {
    return this.#marks.traits
  }
  get gate(): bigint | null {
    const gate = this.#claim.gates?.[this.#place]
    return gate ? BigInt(gate) : null
  }
  get payload(): string {
    return this.#claim.definitions.payload(this.id, this.#place)
  }
  get timeoutMs(): number {
    return this.#claim.definitions.timeoutMs(this.id, this.#place)
  }
  get maxAttempts(): number {
    return this.#claim.definitions.maxAttempts(this.id, this.#place)
  }
  get dueMs(): number {
    return this.#claim.definitions.dueMs(this.id, this.#place)
  }
  get jobId(): string | null {
    return this.#claim.definitions.extra(this.id, this.#place).jobId
  }
  get policy(): string | null {
    return this.#claim.definitions.extra(this.id, this.#place).policy
  }
  get trace(): string | null {
    return this.#claim.definitions.extra(this.id, this.#place).trace
  }
  get slotMs(): number | null {
    return this.#claim.definitions.extra(this.id, this.#place).slotMs
  }
  get missedFromMs(): number | null {
    return this.#claim.definitions.extra(this.id, this.#place).missedFromMs
  }
  get expiresInMs(): number | null {
    return expiresInMs(this.traits, this.policy, this.#claim.boundMs)
  }
}
