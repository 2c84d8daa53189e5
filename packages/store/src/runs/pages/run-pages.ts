/**
 * Pages and counts over all runs of a tenant, waiting and finished ones, by a position that does
 * not move: a run keeps its id, so no run appears twice, and none that exists throughout is
 * skipped.
 *
 * The work of one call is bounded. It walks from the newest runs back in growing windows of days,
 * each stretch by an index, and examines more at a time the rarer the matches are. When the budget
 * is used up it stops: a page then returns short, with the position to continue from, and a count
 * reports that it is not exact.
 */
import { limits } from '@punctual/core/errors'
import {
  type CompiledCountBy,
  onlyFailed,
  type RunGroup,
  type RunItem,
  type RunOrder,
} from '@punctual/core/run'
import type { ReadSource } from '../../connection/read-source.ts'
import { type PageFilterInStore, runFilterValues } from '../filter-values.ts'
import { type CursorScope, decodeCursor, encodeCursor, questionOf } from '../page-cursor.ts'
import { type PageRunsRow, pageRuns } from '../statements.gen.ts'
import { positionOf, type Stretch, toItem, toStretch } from './rows.ts'
import { readsOf, sourcesOf } from './sources.ts'
import { AroundTenants } from './surroundings.ts'
import { BOTTOM, nextDays, type Part, partAt, partsOf, TOP, windowAt } from './windows.ts'

const EVERYTHING: Part = { top: TOP, floor: BOTTOM }
/** More than a page needs, so that a few rows at the edge of a stretch need no second stretch. */
const SPARE = 16
const STRETCH_MIN = 500
const STRETCH_MAX = 20_000
const STRETCH_GROWS = 5
/** A call examines at least this many runs, however slow the server is. */
const FEW_LOOKS = 2_000
/** After this time no further stretch starts; the last one takes about as long at most. */
const PAGE_MS = 120
const COUNT_MS = 600
const GROUPS_MAX = 1_000

interface Position {
  readonly id: string
  /** In microseconds, when the order is that of ends. */
  readonly endUs: string | null
  /** The days of the next window: a walk that continues keeps its step size. */
  readonly days: number
}

/** The fixed parameters of one walk. */
interface Walk {
  readonly tenantId: number
  readonly filter: PageFilterInStore
  readonly order: RunOrder
  readonly sources: readonly string[]
  readonly by: CompiledCountBy | null
  readonly budget: Budget
}

export interface PageOfRuns {
  readonly runs: readonly RunItem[]
  readonly nextCursor: string | null
  readonly complete: boolean
}

/** How much one call may examine. */
export interface Budget {
  readonly looks: number
  readonly ms: number
}

export interface RunPagesOptions extends Partial<Budget> {
  /** How many rows of a place one statement may read to find those of a tenant. */
  readonly crowd?: number
}

export class RunPages {
  readonly #database: ReadSource
  readonly #budget: Partial<Budget>
  readonly #around: AroundTenants

  constructor(database: ReadSource, { crowd, ...budget }: RunPagesOptions = {}) {
    this.#database = database
    this.#budget = budget
    this.#around = new AroundTenants(database, crowd)
  }

  async page(
    filter: PageFilterInStore,
    page: { order: RunOrder; limit: number; cursor: string | undefined },
    tenantId: number,
  ): Promise<PageOfRuns> {
    const { order, limit } = page
    const scope: CursorScope = {
      ...{ list: 'runs', tenantId },
      question: questionOf({ ...filter, order }),
    }
    const from = page.cursor === undefined ? null : parse(decodeCursor(scope, page.cursor))
    const walk = await this.#plan(filter, order, tenantId, null)
    const found: PageRunsRow[] = []
    // One row more than wanted shows whether a next page exists.
    const end: Position | null = await this.#walk(
      walk,
      from,
      (stretch) => {
        found.push(...stretch.rows)
        return limit + 1 - found.length
      },
      limit + 1,
    )
    const given = found.slice(0, limit)
    const full = found.length > limit
    const last = given.at(-1)
    const next = full && last ? { ...positionOf(last), days: 0 } : end
    return {
      runs: given.map(toItem),
      nextCursor: next && encodeCursor(scope, format(next)),
      complete: full || next === null,
    }
  }

  /** Counts matching runs by a property; not exact when more match than are counted. */
  async count(
    filter: PageFilterInStore,
    by: CompiledCountBy,
    tenantId: number,
  ): Promise<{ count: number; exact: boolean; groups: RunGroup[] }> {
    const order = onlyFailed(filter) && filter.finishedFromMs !== undefined ? 'ended' : 'newest'
    const walk = await this.#plan(filter, order, tenantId, by)
    const groups = new Map<string | null, number>()
    const end = await this.#walk(
      walk,
      null,
      ({ rows }) => {
        // A group has its name and its number of runs in the columns of id and priority.
        for (const { id: name, priority: runs } of rows)
          groups.set(name, (groups.get(name) ?? 0) + (runs ?? 0))
        return 1
      },
      STRETCH_MAX,
    )
    const sorted = [...groups].sort(([, a], [, b]) => b - a)
    return {
      count: sorted.reduce((sum, [, runs]) => sum + runs, 0),
      exact: end === null,
      groups: sorted.slice(0, GROUPS_MAX).map(([name, count]) => ({ name, count })),
    }
  }

  async #plan(
    filter: PageFilterInStore,
    order: RunOrder,
    tenantId: number,
    by: CompiledCountBy | null,
  ): Promise<Walk> {
    const sources = sourcesOf(filter, order, await this.#around.of(tenantId))
    const usual = by
      ? { looks: limits.countedRuns, ms: COUNT_MS }
      : { looks: limits.pageLooks, ms: PAGE_MS }
    return { tenantId, filter, order, sources, by, budget: { ...usual, ...this.#budget } }
  }

  /**
   * Examines one stretch after another until `take` wants no more, everything was examined, or the
   * budget is used up.
   * @returns the position where it stopped; null at the end.
   */
  async #walk(
    walk: Walk,
    from: Position | null,
    take: (stretch: Stretch) => number,
    first: number,
  ): Promise<Position | null> {
    const { localClock } = this.#database
    const startedMs = localClock.monotonicMs()
    const parts = walk.order === 'ended' ? [EVERYTHING] : partsOf(walk.filter)
    // The part only advances, and a position in it only goes down: every walk ends.
    let place = from === null || walk.order === 'ended' ? 0 : partAt(parts, from.id)
    let at: Position | undefined = from ?? startOf(parts[0])
    let wanted = first
    let size = Math.min(STRETCH_MAX, first + SPARE)
    let looked = 0
    for (let part = parts[place]; at !== undefined && part !== undefined; part = parts[place]) {
      const { floor, isLast } = this.#windowOf(walk, part, at)
      const stretch = await this.#look(walk, at, floor, { size, wanted })
      looked += stretch.looked
      wanted = take(stretch)
      if (stretch.edge) at = { ...stretch.edge, days: at.days }
      else if (isLast) at = startOf(parts[++place])
      else at = { id: floor, endUs: null, days: nextDays(at.days, walk.sources) }
      if (wanted <= 0) return at ?? null
      const spentMs = localClock.monotonicMs() - startedMs
      if (isEnough(walk.budget, looked, spentMs)) return at ?? null
      size = nextSize(size, looked / spentMs, walk.budget.ms - spentMs)
    }
    return null
  }

  /** Ends have no windows, as a run of any day may end on a given day; named ids are few. */
  #windowOf({ order, sources }: Walk, part: Part, { id, days }: Position) {
    if (order === 'ended' || sources[0] === 'ids') return { floor: part.floor, isLast: true }
    return windowAt(part, id, days, this.#database.clock.nowMs())
  }

  async #look(
    { tenantId, filter, order, sources, by }: Walk,
    at: Position,
    floor: string,
    { size, wanted }: { size: number; wanted: number },
  ): Promise<Stretch> {
    const claimedBeforeMs =
      filter.runningOverMs === undefined
        ? null
        : this.#database.clock.nowMs() - filter.runningOverMs
    const byEnd = order === 'ended'
    const reads = readsOf(filter, sources, by)
    const call = pageRuns(
      ...runFilterValues(filter, tenantId),
      filter.states ? [...filter.states] : null,
      filter.key ?? null,
      filter.finishedFromMs ?? null,
      filter.finishedToMs ?? null,
      claimedBeforeMs,
      filter.fingerprint ?? null,
      filter.notRetried ?? false,
      [...sources],
      byEnd ? TOP : at.id,
      floor,
      size,
      wanted,
      byEnd ? at.endUs : null,
      reads.runs,
      by?.by ?? null,
      by?.label ?? null,
      at.id,
      reads.places,
    )
    // Planned for these sources and days.
    return toStretch(await this.#database.browse.runReplanned(call))
  }
}

/** Larger than before, but no more than seems affordable in the time that is left. */
function nextSize(size: number, perMs: number, leftMs: number): number {
  const affordable = Math.max(STRETCH_MIN, Math.floor(perMs * leftMs))
  return Math.min(STRETCH_MAX, size * STRETCH_GROWS, affordable)
}

/** Few runs are all examined, however slow the server is. */
function isEnough(budget: Budget, looked: number, spentMs: number): boolean {
  return looked >= budget.looks || (spentMs >= budget.ms && looked >= FEW_LOOKS)
}

const startOf = (part: Part | undefined): Position | undefined =>
  part && { id: part.top, endUs: null, days: 0 }

function format({ id, endUs, days }: Position): string {
  return [id, endUs ?? '', days].join()
}

function parse(position: string): Position {
  const [id = '', endUs = '', days = '0'] = position.split(',')
  return { id, endUs: endUs || null, days: Number(days) }
}
