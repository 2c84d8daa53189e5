/**
 * Writes groups. Submitters create, extend and close groups, in one transaction with the runs. The
 * upkeep advances and finishes them, in any number of processes at once: progress is written by
 * compare-and-set, and only the transaction that marks a group done submits its callback.
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
import type { OpenTransaction } from '../connection/open-transaction.ts'
import type { Queryable } from '../connection/queryable.ts'
import { retrying } from '../connection/retrying.ts'
import type { Signals } from '../connection/signals.ts'
import type { Call } from '../sql/typed.ts'
import { outcomeAfter } from '../submit/key-batch.ts'
import type { Accepted, KeyedSubmitter } from '../submit/keyed-submitter.ts'
import type { Prepared } from '../submit/prepared.ts'
import type { Submitter } from '../submit/submitter.ts'
import type { WriteWith } from '../submit/write-with.ts'
import type { QuotaKeeper } from '../tenants/quota-keeper.ts'
import { GroupReader } from './group-reader.ts'
import {
  addMembers,
  closeGroup,
  type FinishGroupRow,
  findKeyedMembers,
  findMembers,
  finishGroup,
  hintGroups,
  insertGroup,
  type LockGroupRow,
  lockGroup,
  lookAtGroups,
  moveGroups,
  setCallbackRun,
} from './statements.gen.ts'

const DEADLINE_MS = 30_000
const GROUPS_AT_ONCE = 100
const MEMBERS_AT_ONCE = 2_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** The run to submit when a group is done. */
export interface GroupCallback {
  /** The handler and the options that the user gave, as JSON: `{"handler", "options"}`. */
  readonly call: string
  /** The payload, as JSON. */
  readonly payload: string
}

export interface NewGroup {
  readonly name: string | null
  readonly callback: GroupCallback | null
  readonly submissions: readonly Submission[]
  /** Whether runs may be added until the group is closed. */
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

/** An open group as a walk found it: `passed` members had ended before, `until` have ended now. */
interface Walked {
  readonly id: string
  readonly passed: number
  readonly until: number
  readonly total: number
  readonly closed: boolean
}

interface Try {
  /** Whether an earlier try may have been committed. */
  readonly again: boolean
  /** Collects the gates that the try frees. */
  readonly freed: bigint[]
}

export class GroupStore implements GroupUpkeep {
  readonly #options: GroupStoreOptions
  readonly #ids: RunIdSource
  readonly reader: GroupReader

  constructor(options: GroupStoreOptions) {
    this.#options = options
    this.#ids = new RunIdSource(options.random)
    this.reader = new GroupReader(options.database)
  }

  /** Creates a group with its first runs: everything or nothing. */
  async make(
    group: NewGroup,
    tenantId: number,
    writeWith: WriteWith,
  ): Promise<{ id: string; accepted: readonly Accepted[] }> {
    const { callback } = group
    if (callback !== null)
      await this.#options.quotas.checkPayload(tenantId, callback.payload, 'onDone.payload')
    await this.#options.quotas.admit(tenantId, group.submissions)
    const runs = await this.#options.submitter.prepare(group.submissions, tenantId)
    const id = this.#ids.next(this.#options.database.clock.nowMs())
    const accepted = await this.#submitting(runs, writeWith, async (client, known, { freed }) => {
      const { name, open } = group
      const { call = null, payload = null } = callback ?? {}
      const made = await this.#run(client, insertGroup(id, tenantId, name, call, payload, !open))
      // An earlier try has created all of it.
      if (made.length === 0)
        return this.#answers(client, id, known, await this.#existing(client, id, known))
      const accepted = await this.#accepted(
        client,
        known,
        tenantId,
        freed,
        writeWith.tx !== undefined,
      )
      await this.#run(
        client,
        addMembers(
          id,
          accepted.map((run) => run.id),
        ),
      )
      return accepted
    })
    return { id, accepted }
  }

  /** Adds runs to an open group: all of them or none. */
  async add(
    id: string,
    submissions: readonly Submission[],
    tenantId: number,
    writeWith: WriteWith,
  ): Promise<readonly Accepted[]> {
    await this.#options.quotas.admit(tenantId, submissions)
    const runs = await this.#options.submitter.prepare(submissions, tenantId)
    return this.#submitting(runs, writeWith, async (client, known, { again, freed }) => {
      const [group] = await this.#run(client, lockGroup(id, tenantId))
      const existing = again ? await this.#existing(client, id, known) : new Set<string>()
      if (existing.size > 0) return this.#answers(client, id, known, existing)
      checkTakes(id, group, runs.length)
      const accepted = await this.#accepted(
        client,
        known,
        tenantId,
        freed,
        writeWith.tx !== undefined,
      )
      await this.#run(
        client,
        addMembers(
          id,
          accepted.map((run) => run.id),
        ),
      )
      return accepted
    })
  }

  /** False when the group was already closed; null when it does not exist. */
  async close(id: string, tenantId: number, writeWith: WriteWith): Promise<boolean | null> {
    const [row] = await this.#submitting([], writeWith, (client) =>
      this.#run(client, closeGroup(id, tenantId)),
    )
    return row?.closed ?? null
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

  /** Returns the runs that an earlier try, whose answer was lost, has made members. */
  async #existing(tx: Queryable, id: string, runs: readonly Prepared[]): Promise<Set<string>> {
    const rows = await this.#run(
      tx,
      findMembers(
        id,
        runs.map((run) => run.id),
      ),
    )
    return new Set(rows.map(({ runId }) => runId))
  }

  /** Rebuilds that try's answer: a run that it did not create has a member with the same key. */
  async #answers(
    tx: Queryable,
    id: string,
    runs: readonly Prepared[],
    existing: ReadonlySet<string>,
  ): Promise<Accepted[]> {
    const others = runs.filter((run) => !existing.has(run.id))
    const keys = new Set(others.flatMap(({ submission }) => submission.options.key ?? []))
    const [first] = others
    const rows = first ? await this.#run(tx, findKeyedMembers(id, first.tenantId, [...keys])) : []
    const ofKey = new Map(rows.map(({ key, runId }) => [key, runId]))
    return runs.map((run) => {
      if (existing.has(run.id)) return { id: run.id, created: true, outcome: 'created' }
      const member = ofKey.get(run.submission.options.key ?? '')
      invariant(member, 'a submitted run of a group, or another run with its key, is a member')
      return { id: member, created: false, outcome: outcomeAfter(run) }
    })
  }

  /** Runs in the given transaction, or in a separate one that retries transient faults. */
  async #submitting<T>(
    runs: readonly Prepared[],
    { tx, transaction = null }: WriteWith,
    work: (tx: Queryable, runs: readonly Prepared[], attempt: Try) => Promise<T>,
  ): Promise<T> {
    const { database, signals, submitter, ensurePartitions } = this.#options
    // Collected over all tries: one whose answer was lost may be the one that freed them.
    const freed: bigint[] = []
    if (tx) {
      const result = await work(tx, runs, { again: false, freed })
      await this.#run(tx, hintGroups(signals.channelName, '- groups '))
      return result
    }
    const bounds = { clock: database.localClock, deadlineMs: DEADLINE_MS, ensurePartitions }
    const result = await retrying(bounds, (again) =>
      this.#transaction(transaction, async (client) =>
        work(client, await submitter.current(runs), { again, freed }),
      ),
    )
    submitter.announce(transaction, runs, freed)
    void database.ambient.afterCommit(() => signals.groupsChanged(), transaction)
    return result
  }

  #transaction<T>(
    transaction: OpenTransaction | null,
    work: (client: Queryable) => Promise<T>,
  ): Promise<T> {
    const { clientPool, database } = this.#options
    return clientPool
      .join(transaction, async (client) => {
        await client.query("set local lock_timeout = '5s'")
        const query_timeout = database.timeoutMs
        return work({
          query: (text, values = []) => client.query({ text, values, query_timeout }),
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

  #run<Row>(tx: Queryable, call: Call<Row>): Promise<Row[]> {
    return this.#options.database.runIn(tx, call)
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
      // A group that cannot be finished must not block the others.
      for (const { id } of page.filter(({ closed, until, total }) => closed && until === total))
        if (await this.#finish(id).catch((fault: unknown) => !faults.push(fault))) sum.done++
    } while (page.length === GROUPS_AT_ONCE)
    if (faults.length > 0) throw faults[0]
    return sum
  }

  #walk(after: string): Promise<Walked[]> {
    const { database } = this.#options
    return database.upkeep.runPinned(lookAtGroups(after, GROUPS_AT_ONCE, MEMBERS_AT_ONCE))
  }

  async #move(groups: readonly Walked[]): Promise<number> {
    const { database } = this.#options
    const call = moveGroups(
      uuidArray(groups.map(({ id }) => id)),
      int4Array(groups.map(({ passed }) => passed)),
      int4Array(groups.map(({ until }) => until)),
    )
    return (await database.upkeep.runPinned(call)).length
  }

  /** False when another process has finished the group, or members are left. */
  async #finish(id: string): Promise<boolean> {
    const { database, submitter, ensurePartitions } = this.#options
    const bounds = { clock: database.localClock, deadlineMs: DEADLINE_MS, ensurePartitions }
    const freed: bigint[] = []
    const runs = await retrying(bounds, () =>
      this.#transaction(null, async (tx) => {
        const [row] = await this.#run(tx, finishGroup(id))
        return row ? this.#callBack(tx, id, row, freed) : null
      }),
    )
    if (runs === null) return false
    submitter.announce(null, runs, freed)
    return true
  }

  async #callBack(
    tx: Queryable,
    id: string,
    row: FinishGroupRow,
    freed: bigint[],
  ): Promise<readonly Prepared[]> {
    const { tenantId, callback, callbackPayload: given } = row
    if (callback === null || given === null) return []
    const payload = callbackPayload(resultOf(id, row), given)
    const submission = makeSubmission(compileOptions(callback.handler, callback.options), payload)
    const runs = await this.#options.submitter.prepare([submission], tenantId)
    const [run] = await this.#accepted(tx, runs, tenantId, freed)
    invariant(run, 'a submission is accepted as a run')
    await this.#run(tx, setCallbackRun(id, run.id))
    return runs
  }
}

function resultOf(id: string, row: FinishGroupRow): GroupResult {
  const { name, total, succeeded, dead, cancelled, skipped, unknown } = row
  return { id, name, total, succeeded, dead, cancelled, skipped, unknown }
}

/** Throws unless this many runs can be added. */
function checkTakes(id: string, group: LockGroupRow | undefined, runs: number): void {
  if (!group)
    throw new PunctualError('group_not_found', `There is no group ${id}.`, { id, field: 'id' })
  if (group.closed)
    throw new PunctualError('group_closed', `Group ${id} is closed. Create another one.`, { id })
  if (group.total + runs > limits.membersPerGroup)
    throw new PunctualError(
      'group_full',
      `A group has at most ${limits.membersPerGroup} members; ${id} has ${group.total}, and ${runs} more were submitted.`,
      { id },
    )
}
