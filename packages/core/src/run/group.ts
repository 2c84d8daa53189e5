/**
 * A group: runs that were submitted together, or added one after the other, and what follows when all of them have ended.
 * A member has ended when it has succeeded, is dead, cancelled, skipped or unknown; what is made of a dead one later, such
 * as a replay, is a run of its own and no member.
 */
import type { FinalState, RunState } from './run-state.ts'

/** How many members are in each state; `removed` are those that ended and whose history is not kept any more. */
export type GroupCounts = Readonly<Record<RunState | 'removed', number>>

/** A group in a list. */
export interface GroupSummary {
  /** A UUID that was made with the group. */
  readonly id: string
  /** What its maker called it, which need not be unique; null without a name. */
  readonly name: string | null
  /** How many members it has. */
  readonly total: number
  /** Whether runs can be added. */
  readonly open: boolean
  /** It is closed, and every member has ended. */
  readonly done: boolean
  /** When it was made. */
  readonly createdAt: Date
  /** From when on nothing could be added; null while it is open. */
  readonly closedAt: Date | null
  /** When its last member was found to have ended, and its callback was submitted; null before. */
  readonly doneAt: Date | null
  /** The run that it was followed by; null while it is not done, and when nothing was to follow. */
  readonly callbackRunId: string | null
}

/** A group, and how far it has come. */
export interface Group extends GroupSummary {
  /** How many members are in each state now. */
  readonly counts: GroupCounts
  /** How many members have ended, however. */
  readonly ended: number
}

/** What became of a group, as its callback is told. */
export interface GroupResult extends Readonly<Record<FinalState, number>> {
  /** The id of the group. */
  readonly id: string
  /** What its maker called it; null without a name. */
  readonly name: string | null
  /** How many members it has. */
  readonly total: number
}

/** The payload of a callback: what became of the group, and what its maker gave for it. */
export interface GroupDone<Payload = unknown> {
  /** How many members ended in which way. */
  readonly group: GroupResult
  /** What `onDone.payload` gave. */
  readonly payload: Payload
}

/** A run of a group. */
export interface GroupMember {
  /** The id of the run. */
  readonly id: string
  /** From 0, in the order in which they were added. */
  readonly place: number
  /** The state of the run; `removed` when it has ended and its history is not kept any more. */
  readonly state: RunState | 'removed'
}

/** The payload of a callback as JSON, made of what its maker gave, as JSON. */
export function callbackPayload(group: GroupResult, payload: string): string {
  return `{"group":${JSON.stringify(group)},"payload":${payload}}`
}
