/**
 * Writes groups: made, added to and closed by whoever submits, in one transaction with the runs; walked and finished by
 * whoever looks. Any number of processes may look at once. How far a group has come is written by compare and set, and
 * only the transaction that marks it done submits its callback.
 */
import type { Random } from '@punctual/core/clock'
import { invariant, limits, PunctualError } from '@punctual/core/errors'
import type { GroupLook, GroupUpkeep } from '@punctual/core/ports'
import { callbackPayload, type GroupResult, RunIdSource } from '@punctual/core/run'
import { compileOptions, makeSubmission, type Submission } from '@punctual/core/submit'
import { int4Array, uuidArray } from '../connection/binary-arrays.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { isLockTimeout } from '../connection/faults.ts'
import type { Queryable } from '../connection/queryable.ts'
import { retrying } from '../connection/retrying.ts'
import type { Signals } from '../connection/signals.ts'
import { outcomeAfter } from '../submit/key-batch.ts'
import type { Accepted, KeyedSubmitter } from '../submit/keyed-submitter.ts'
import type { Prepared, Submitter } from '../submit/submitter.ts'
import type { QuotaKeeper } from '../tenants/quota-keeper.ts'
import { GroupReader } from './group-reader.ts'

const DEADLINE_MS = 30_000
const GROUPS_AT_ONCE = 100
const MEMBERS_AT_ONCE = 2_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** What to submit when a group is done. */
export interface GroupCallback {
  /** Handler and options as people wrote them, as JSON: `{"handler", "options"}`. */
  readonly call: string
  /** As JSON. */
  readonly payload: string
}

export interface NewGroup {
  readonly name: string | null
  readonly callback: GroupCallback | null
  readonly submissions: readonly Submission[]
  /** Runs may be added until it is closed. */
  readonly open: boolean
}

export interface GroupStoreOptions {
  readonly database: Database
  readonly clientPool: ClientPool
  readonly submitter: Submitter
  readonly quotas: QuotaKeeper
  readonly keyed: KeyedSubmitter
  readonly signals: Signals
  readonly random: Random
  readonly ensurePartitions: () => Promise<void>
}

/** A group that a look found to have come further, or to be done. */
interface Walked {
  readonly id: string
  readonly passed: number
  readonly until: number
  readonly total: number
  readonly closed: boolean
}

type GroupRow = Readonly<Record<string, string | null>>

interface Try {
  /** Whether an earlier one may have been committed. */
  readonly again: boolean
  /** Takes the gates that it has freed. */
  readonly freed: bigint[]
}

const truth = (value: unknown) => value === true || value === 't'

export class GroupStore implements GroupUpkeep {
  readonly #options: GroupStoreOptions
  readonly #ids: RunIdSource
  readonly reader: GroupReader

  constructor(options: GroupStoreOptions) {
    this.#options = options
    this.#ids = new RunIdSource(options.random)
    this.reader = new GroupReader(options.database)
  }

  /** Makes a group with its first runs: all of it, or nothing. */
  async make(
    group: NewGroup,
    tenantId: number,
    tx?: Queryable,
  ): Promise<{ id: string; accepted: readonly Accepted[] }> {
    await this.#options.quotas.admit(tenantId, group.submissions)
    const runs = await this.#options.submitter.prepare(group.submissions, tenantId)
    const id = this.#ids.next(this.#options.database.clock.nowMs())
    const accepted = await this.#submitting(runs, tx, async (client, known, { freed }) => {
      const { name, callback } = group
      const call = [callback?.call ?? null, callback?.payload ?? null]
      const values = [id, tenantId, name, ...call, !group.open]
      const made = await this.#run(client, 'insert-group', values)
      // An earlier try has made all of it.
      if (made.length === 0)
        return this.#answers(client, id, known, await this.#there(client, id, known))
      const accepted = await this.#accepted(client, known, tenantId, freed, tx !== undefined)
      await this.#run(client, 'add-members', [id, accepted.map((run) => run.id)])
      return accepted
    })
    return { id, accepted }
  }

  /** Adds runs to a group that is open: all of them, or none. */
  async add(
    id: string,
    submissions: readonly Submission[],
    tenantId: number,
    tx?: Queryable,
  ): Promise<readonly Accepted[]> {
    await this.#options.quotas.admit(tenantId, submissions)
    const runs = await this.#options.submitter.prepare(submissions, tenantId)
    return this.#submitting(runs, tx, async (client, known, { again, freed }) => {
      const [group] = await this.#run(client, 'lock-group', [id, tenantId])
      const there = again ? await this.#there(client, id, known) : new Set<string>()
      if (there.size > 0) return this.#answers(client, id, known, there)
      checkTakes(id, group as { total: unknown; closed: unknown } | undefined, runs.length)
      const accepted = await this.#accepted(client, known, tenantId, freed, tx !== undefined)
      await this.#run(client, 'add-members', [id, accepted.map((run) => run.id)])
      return accepted
    })
  }

  /** False when it was closed already; null when there is no such group. */
  async close(id: string, tenantId: number, tx?: Queryable): Promise<boolean | null> {
    const [row] = await this.#submitting([], tx, (client) =>
      this.#run(client, 'close-group', [id, tenantId]),
    )
    return row ? truth((row as { closed: unknown }).closed) : null
  }

  async #accepted(
    tx: Queryable,
    runs: readonly Prepared[],
    tenantId: number,
    freed: bigint[],
    notify = false,
  ): Promise<readonly Accepted[]> {
    if (runs.length === 0) return []
    const { accepted, freedGates } = await this.#options.keyed.submitIn(tx, runs, tenantId, notify)
    freed.push(...freedGates)
    return accepted
  }

  /** Which of these runs an earlier try, whose answer was lost, has made members. */
  async #there(tx: Queryable, id: string, runs: readonly Prepared[]): Promise<Set<string>> {
    const rows = await this.#run(tx, 'find-members', [id, runs.map((run) => run.id)])
    return new Set((rows as { run_id: string }[]).map((row) => row.run_id))
  }

  /** What that try would have answered: a run that it has not made is the member that has its key. */
  async #answers(
    tx: Queryable,
    id: string,
    runs: readonly Prepared[],
    there: ReadonlySet<string>,
  ): Promise<Accepted[]> {
    const others = runs.filter((run) => !there.has(run.id))
    const keys = new Set(others.map(({ submission }) => submission.options.key))
    const values = [id, others[0]?.tenantId, [...keys]]
    const rows = others.length === 0 ? [] : await this.#run(tx, 'find-keyed-members', values)
    const ofKey = new Map((rows as { key: string; run_id: string }[]).map((r) => [r.key, r.run_id]))
    return runs.map((run) => {
      if (there.has(run.id)) return { id: run.id, created: true, outcome: 'created' }
      const member = ofKey.get(run.submission.options.key ?? '')
      invariant(member, 'a run of a group is a member of it, or another of its key is')
      return { id: member, created: false, outcome: outcomeAfter(run) }
    })
  }

  /** In the caller's transaction, or in one of our own that is tried again after a fault of the moment. */
  async #submitting<T>(
    runs: readonly Prepared[],
    tx: Queryable | undefined,
    work: (tx: Queryable, runs: readonly Prepared[], attempt: Try) => Promise<T>,
  ): Promise<T> {
    const { database, signals, submitter, ensurePartitions } = this.#options
    // Of all tries: one whose answer was lost may be the one that has freed them.
    const freed: bigint[] = []
    if (tx) {
      const result = await work(tx, runs, { again: false, freed })
      await this.#run(tx, 'hint-groups', [signals.channelName, '- groups '])
      return result
    }
    const bounds = { clock: database.localClock, deadlineMs: DEADLINE_MS, ensurePartitions }
    const result = await retrying(bounds, (again) =>
      this.#transaction(async (client) =>
        work(client, await submitter.current(runs), { again, freed }),
      ),
    )
    if (runs.length > 0) signals.due(new Set(runs.map((run) => run.lane)))
    void database.transactions.afterCommit(() => submitter.committed(runs, freed))
    signals.groupsChanged()
    return result
  }

  #transaction<T>(work: (client: Queryable) => Promise<T>): Promise<T> {
    const { clientPool, database } = this.#options
    return clientPool
      .transaction(async (client) => {
        await client.query("set local lock_timeout = '5s'")
        const query_timeout = database.timeoutMs
        return work({
          query: (text, values = []) =>
            client.query({ text, values, query_timeout } as { text: string; values: unknown[] }),
        })
      })
      .catch((cause: unknown) => {
        if (!isLockTimeout(cause)) throw cause
        throw new PunctualError(
          'group_busy',
          'Another open transaction is adding to the group. Try again when it has ended.',
          { cause },
        )
      })
  }

  async #run(tx: Queryable, path: string, values: unknown[]): Promise<unknown[]> {
    const { text } = this.#options.database.statement(`groups/${path}`)
    return (await tx.query(text, values)).rows
  }

  async look(): Promise<GroupLook> {
    const sum = { open: 0, moved: 0, done: 0, more: false }
    const faults: unknown[] = []
    let page: readonly Walked[] = []
    let after = FIRST
    do {
      page = await this.#walk(after)
      after = page.at(-1)?.id ?? after
      sum.open += page.length
      const further = page.filter(({ passed, until }) => until > passed)
      if (further.length > 0) sum.moved += await this.#move(further)
      sum.more ||= further.some(({ passed, until }) => until - passed === MEMBERS_AT_ONCE)
      // One that cannot be finished must not keep the others from it.
      for (const { id } of page.filter(({ closed, until, total }) => closed && until === total))
        if (await this.#finish(id).catch((fault: unknown) => !faults.push(fault))) sum.done++
    } while (page.length === GROUPS_AT_ONCE)
    if (faults.length > 0) throw faults[0]
    return sum
  }

  async #walk(after: string): Promise<Walked[]> {
    const { database } = this.#options
    const statement = database.statement('groups/look-at-groups')
    const values = [after, GROUPS_AT_ONCE, MEMBERS_AT_ONCE]
    const rows = await database.upkeep.pinnedOne(statement, values)
    return rows.map(([id, passed, until, total, closed]) => ({
      id: id as string,
      ...{ passed: Number(passed), until: Number(until), total: Number(total) },
      closed: closed === 't',
    }))
  }

  async #move(groups: readonly Walked[]): Promise<number> {
    const { database } = this.#options
    const moved = await database.upkeep.pinnedOne(database.statement('groups/move-groups'), [
      uuidArray(groups.map(({ id }) => id)),
      int4Array(groups.map(({ passed }) => passed)),
      int4Array(groups.map(({ until }) => until)),
    ])
    return moved.length
  }

  /** False when somebody else has done so, or it is not that far. */
  async #finish(id: string): Promise<boolean> {
    const { database, submitter, signals, ensurePartitions } = this.#options
    const bounds = { clock: database.localClock, deadlineMs: DEADLINE_MS, ensurePartitions }
    const freed: bigint[] = []
    const runs = await retrying(bounds, () =>
      this.#transaction(async (tx) => {
        const [row] = await this.#run(tx, 'finish-group', [id])
        return row ? this.#callBack(tx, id, row as GroupRow, freed) : null
      }),
    )
    if (runs === null) return false
    if (runs.length > 0) signals.due(new Set(runs.map((run) => run.lane)))
    submitter.committed(runs, freed)
    return true
  }

  async #callBack(
    tx: Queryable,
    id: string,
    row: GroupRow,
    freed: bigint[],
  ): Promise<readonly Prepared[]> {
    if (!row.callback) return []
    const { handler, options } = JSON.parse(row.callback)
    const payload = callbackPayload(resultOf(id, row), row.callback_payload as string)
    const submission = makeSubmission(compileOptions(handler, options), payload)
    const tenantId = Number(row.tenant_id)
    const runs = await this.#options.submitter.prepare([submission], tenantId)
    const [run] = await this.#accepted(tx, runs, tenantId, freed)
    await this.#run(tx, 'set-callback-run', [id, run?.id])
    return runs
  }
}

function resultOf(id: string, row: GroupRow): GroupResult {
  const { total, succeeded, dead, cancelled, skipped, unknown } = row
  return {
    id,
    name: row.name ?? null,
    total: Number(total),
    succeeded: Number(succeeded),
    dead: Number(dead),
    cancelled: Number(cancelled),
    skipped: Number(skipped),
    unknown: Number(unknown),
  }
}

/** Throws unless so many runs can be added. */
function checkTakes(
  id: string,
  group: { total: unknown; closed: unknown } | undefined,
  runs: number,
): void {
  if (!group)
    throw new PunctualError('group_not_found', `There is no group ${id}.`, { id, field: 'id' })
  if (truth(group.closed))
    throw new PunctualError('group_closed', `Group ${id} is closed; make another one.`, { id })
  if (Number(group.total) + runs > limits.membersPerGroup)
    throw new PunctualError(
      'group_full',
      `A group has at most ${limits.membersPerGroup} members; ${id} has ${Number(group.total)}, and ${runs} more came.`,
      { id },
    )
}
