/** Reads groups: one with the states of its members, lists of groups, and members. */

import {
  type Group,
  type GroupCounts,
  type GroupMember,
  type GroupSummary,
  runStates,
} from '@punctual/core/run'
import type { ReadSource } from '../connection/read-source.ts'
import {
  type FindGroupRow,
  findDone,
  findGroup,
  type ListGroupsRow,
  listGroups,
  listMembers,
} from './statements.gen.ts'

export interface GroupFilter {
  /** Only groups older than this one. */
  readonly before?: string
  readonly done?: boolean
  readonly limit: number
}

function toSummary(row: ListGroupsRow): GroupSummary {
  const { id, name, total, createdAt, closedAt, doneAt, callbackRunId } = row
  return {
    ...{ id, name, total, createdAt, closedAt, doneAt, callbackRunId },
    open: closedAt === null,
    done: doneAt !== null,
  }
}

function toGroup(row: FindGroupRow): Group {
  const { succeeded, dead, cancelled, skipped, unknown, passed } = row
  const kept = succeeded + dead + cancelled + skipped + unknown
  const others = row.others ?? {}
  const live = { waiting: 0, scheduled: 0, queued: 0, running: 0, cancelling: 0, awaiting: 0 }
  const ended = { succeeded, dead, cancelled, skipped, unknown, removed: passed - kept }
  const counts = summed({ ...live, ...ended }, others)
  const { waiting, scheduled, queued, running, cancelling, awaiting } = counts
  const left = waiting + scheduled + queued + running + cancelling + awaiting
  return { ...toSummary(row), counts, ended: row.total - left }
}

function summed(counts: GroupCounts, others: Partial<GroupCounts>): GroupCounts {
  const sum = { ...counts }
  for (const state of [...runStates, 'removed'] as const) sum[state] += others[state] ?? 0
  return sum
}

export class GroupReader {
  readonly #database: ReadSource

  constructor(database: ReadSource) {
    this.#database = database
  }

  async find(id: string, tenantId: number): Promise<Group | null> {
    const [row] = await this.#database.reads.runPinned(findGroup(id, tenantId))
    return row ? toGroup(row) : null
  }

  /** Newest first. */
  async list(filter: GroupFilter, tenantId: number): Promise<GroupSummary[]> {
    const { before = null, done = null, limit } = filter
    const rows = await this.#database.browse.runPinned(listGroups(tenantId, before, done, limit))
    return rows.map(toSummary)
  }

  /** Whether the group is done; null when it does not exist. */
  async isDone(id: string, tenantId: number): Promise<boolean | null> {
    const [row] = await this.#database.reads.runPinned(findDone(id, tenantId))
    return row?.done ?? null
  }

  /** Members from a place on, in the order in which they were added. */
  async members(
    id: string,
    page: { fromPlace: number; limit: number },
    tenantId: number,
  ): Promise<GroupMember[]> {
    const { fromPlace, limit } = page
    const rows = await this.#database.browse.runPinned(listMembers(id, tenantId, fromPlace, limit))
    return rows.map(({ runId, place, state }) => ({ id: runId, place, state }))
  }
}
