/**
 * A group: runs that were submitted together or added one by one, and a callback for when all of
 * them have ended. A member has ended when it has succeeded, is dead, cancelled, skipped or
 * unknown; a later replay of a dead member is a separate run, not a member.
 */
import type { FinalState, RunState } from './run-state.ts'

/**
 * The number of members in each state; `removed` counts members that have ended and whose history
 * was deleted.
 */
export type GroupCounts = Readonly<Record<RunState | 'removed', number>>

/** A group in a list. */
export interface GroupSummary {
  /** The UUID of the group. */
  readonly id: string
  /** The name given by its creator, which need not be unique; null without one. */
  readonly name: string | null
  /** The number of members. */
  readonly total: number
  /** Whether runs can be added. */
  readonly open: boolean
  /** Whether it is closed and every member has ended. */
  readonly done: boolean
  /** When it was created. */
  readonly createdAt: Date
  /** When it was closed; null while it is open. */
  readonly closedAt: Date | null
  /** When the end of its last member was detected and its callback submitted; null before that. */
  readonly doneAt: Date | null
  /** The id of the callback run; null before the group is done, and without a callback. */
  readonly callbackRunId: string | null
}

/** A group and its progress. */
export interface Group extends GroupSummary {
  /** The number of members in each state now. */
  readonly counts: GroupCounts
  /** The number of members that have ended, in any way. */
  readonly ended: number
}

/** The result of a group, as its callback receives it. */
export interface GroupResult extends Readonly<Record<FinalState, number>> {
  /** The id of the group. */
  readonly id: string
  /** The name given by its creator; null without one. */
  readonly name: string | null
  /** The number of members. */
  readonly total: number
}

/** The payload of a callback: the result of the group, and the payload given by its creator. */
export interface GroupDone<Payload = unknown> {
  /** The number of members by final state. */
  readonly group: GroupResult
  /** The value of `onDone.payload`. */
  readonly payload: Payload
}

/** A run of a group. */
export interface GroupMember {
  /** The id of the run. */
  readonly id: string
  /** The position in the order in which members were added, from 0. */
  readonly place: number
  /** The state of the run; `removed` when it has ended and its history was deleted. */
  readonly state: RunState | 'removed'
}

/** Builds the payload of a callback as JSON from the creator's payload, which is JSON. */
export function callbackPayload(group: GroupResult, payload: string): string {
  return `{"group":${JSON.stringify(group)},"payload":${payload}}`
}
