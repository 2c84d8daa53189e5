/** Reads groups: one with the states of its members, lists of groups, and members. */

import type { Group, GroupCounts, GroupMember, GroupSummary, RunState } from '@punctual/core/run'
import { runStates } from '@punctual/core/run'
import type { Row } from '../connection/channel.ts'
import type { ReadSource } from '../connection/read-source.ts'

export interface GroupFilter {
  /** Only groups older than this one. */
  readonly before?: string
  readonly done?: boolean
  readonly limit: number
}

const date = (text: string | null | undefined) => (text ? new Date(text) : null)

function toSummary(row: Row): GroupSummary {
  const [id, name, total, createdAt, closedAt, doneAt, callbackRunId] = row
  return {
    id: id as string,
    name: name ?? null,
    total: Number(total),
    open: !closedAt,
    done: Boolean(doneAt),
    createdAt: new Date(createdAt as string),
    closedAt: date(closedAt),
    doneAt: date(doneAt),
    callbackRunId: callbackRunId ?? null,
  }
}

function toGroup(row: Row): Group {
  const [passed, succeeded, dead, cancelled, skipped, unknown] = row.slice(7, 13).map(Number)
  const counts = Object.fromEntries([...runStates, 'removed'].map((state) => [state, 0])) as Record<
    RunState | 'removed',
    number
  >
  const known = { succeeded, dead, cancelled, skipped, unknown } as Record<RunState, number>
  const kept = Object.values(known).reduce((sum, members) => sum + members, 0)
  const others = JSON.parse(row[13] ?? '{}') as Partial<GroupCounts>
  for (const some of [known, { removed: (passed as number) - kept }, others])
    for (const [state, members] of Object.entries(some))
      counts[state as RunState] += members as number
  const { waiting, scheduled, queued, running, cancelling } = counts
  const summary = toSummary(row)
  const live = waiting + scheduled + queued + running + cancelling
  return { ...summary, counts, ended: summary.total - live }
}

export class GroupReader {
  readonly #database: ReadSource

  constructor(database: ReadSource) {
    this.#database = database
  }

  #pinned(path: string, values: (string | number | boolean | null)[]): Promise<Row[]> {
    return this.#database.reads.pinnedOne(this.#database.statement(`groups/${path}`), values)
  }

  async find(id: string, tenantId: number): Promise<Group | null> {
    const [row] = await this.#pinned('find-group', [id, tenantId])
    return row ? toGroup(row) : null
  }

  /** Newest first. */
  async list(filter: GroupFilter, tenantId: number): Promise<GroupSummary[]> {
    const { before = null, done = null, limit } = filter
    const rows = await this.#pinned('list-groups', [tenantId, before, done, limit])
    return rows.map(toSummary)
  }

  /** Whether the group is done; null when it does not exist. */
  async isDone(id: string, tenantId: number): Promise<boolean | null> {
    const [row] = await this.#pinned('find-done', [id, tenantId])
    return row ? row[0] === 't' : null
  }

  /** Members from a place on, in the order in which they were added. */
  async members(
    id: string,
    page: { fromPlace: number; limit: number },
    tenantId: number,
  ): Promise<GroupMember[]> {
    const rows = await this.#pinned('list-members', [id, tenantId, page.fromPlace, page.limit])
    return rows.map(([runId, place, state]) => ({
      id: runId as string,
      place: Number(place),
      state: state as GroupMember['state'],
    }))
  }
}
