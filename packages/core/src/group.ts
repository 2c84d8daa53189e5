/**
 * A group: runs that were submitted together, or added one after the other, and what follows when all of them have ended.
 * A member has ended when it has succeeded, is dead, cancelled, skipped or unknown; what is made of a dead one later, such
 * as a replay, is a run of its own and no member.
 */
import type { FinalState, RunState } from './run-state.ts'

/** How many members are in each state; `removed` are those that ended and whose history is not kept any more. */
export type GroupCounts = Readonly<Record<RunState | 'removed', number>>

export interface GroupSummary {
  readonly id: string
  readonly name: string | null
  /** How many members it has. */
  readonly total: number
  /** Whether runs can be added. */
  readonly open: boolean
  /** It is closed, and every member has ended. */
  readonly done: boolean
  readonly createdAt: Date
  readonly closedAt: Date | null
  readonly doneAt: Date | null
  /** The run that it was followed by; null while it is not done, and when nothing was to follow. */
  readonly callbackRunId: string | null
}

export interface Group extends GroupSummary {
  readonly counts: GroupCounts
  /** How many members have ended, however. */
  readonly ended: number
}

/** What became of a group, as its callback is told. */
export interface GroupResult extends Readonly<Record<FinalState, number>> {
  readonly id: string
  readonly name: string | null
  readonly total: number
}

/** The payload of a callback: what became of the group, and what its maker gave for it. */
export interface GroupDone<Payload = unknown> {
  readonly group: GroupResult
  readonly payload: Payload
}

export interface GroupMember {
  readonly id: string
  /** From 0, in the order in which they were added. */
  readonly place: number
  readonly state: RunState | 'removed'
}

/** The payload of a callback as JSON, made of what its maker gave, as JSON. */
export function callbackPayload(group: GroupResult, payload: string): string {
  return `{"group":${JSON.stringify(group)},"payload":${payload}}`
}
