/**
 * `punctual.groups`: runs submitted together, their progress, and the callback when all have ended.
 */
import { checkText, integer, refuseOption } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import {
  type Group,
  type GroupMember,
  type GroupSummary,
  isFinal,
  isRunId,
  type RunState,
} from '@punctual/core/run'
import type { Submission } from '@punctual/core/submit'
import { type Accepted, systemClock, type WriteWith } from '@punctual/store'
import type { WriteScope } from '../audit/control-writes.ts'
import { checkStrict } from '../handlers/check-strict.ts'
import type { Handlers } from '../handlers/handlers.ts'
import type { WaitOptions } from '../runs/read-options.ts'
import { checkCall } from '../submit/submit-call.ts'
import { writeWith } from '../submit/write-with.ts'
import type { GroupCallOptions, GroupCancelResult, GroupHandle, GroupRun } from './handle.ts'
import { checkGroup, type GroupOptions, groupCallback, groupSubmissions } from './options.ts'

const LIST_MAX = 1_000
const LIST = 50
const MEMBERS = 1_000
const POLL_MIN_MS = 20
const POLL_MAX_MS = 250
const WAIT_MS_MAX = 2_147_483_647

/** A group in calls: its id, or any object with its `id`. */
export type GroupReference = string | { readonly id: string }

/** Which groups to list. */
export interface GroupListOptions {
  /** True: only done groups. False: only groups that are not done. @default all */
  done?: boolean
  /** Only groups created before this one: pass the last one of a page to get the next page. */
  before?: GroupReference
  /** The most groups to return, up to 1,000. @default 50 */
  limit?: number
}

/** Which members of a group to list. */
export interface GroupRunsOptions {
  /**
   * Start from this position: pass the position of the last member plus 1 to get the next page.
   * @default 0
   */
  from?: number
  /** The most members to return, up to 10,000. @default 1000 */
  limit?: number
}

export interface GroupsParts extends WriteScope {
  readonly handlers: Handlers
  readonly payloadBytes: number
  /** Throws `stopped` once Punctual stops. */
  checkOpen(): void
  submitted(submissions: readonly Submission[], accepted: readonly Accepted[]): void
}

function idOf(group: GroupReference): string {
  const id: unknown = typeof group === 'string' ? group : group?.id
  if (typeof id === 'string' && isRunId(id)) return id.toLowerCase()
  return refuseOption('id', 'the id of a group, which is a UUID', id)
}

function notFound(id: string): never {
  throw new PunctualError(
    'group_not_found',
    `No group has the id ${id}. It may be older than the retention, or belong to another schema.`,
    { id },
  )
}

const target = (id: string) => ({ kind: 'group', id, name: null })

const lives = (state: GroupMember['state']) => state !== 'removed' && !isFinal(state as RunState)

/**
 * `punctual.groups`: runs that are submitted together, their states, and one callback run when all
 * have ended.
 */
export class Groups {
  readonly #options: GroupsParts

  /** @internal */
  constructor(parts: GroupsParts) {
    this.#options = parts
  }

  /**
   * Submits runs as a group, with an optional callback that is submitted when all members have
   * ended. Everything is accepted, or nothing. If a live run has the key of a member, that run
   * becomes the member.
   */
  async submit(options: GroupOptions, call: GroupCallOptions = {}): Promise<GroupHandle> {
    const { store, payloadBytes } = this.#options
    const group = checkGroup(options)
    const callback = groupCallback(options.onDone, payloadBytes)
    const { submissions, tx } = await this.#prepare(options.runs ?? [], call)
    const made = await store.groups.make(
      { ...group, callback, submissions },
      this.#options.tenantId,
      writeWith(store, tx),
    )
    if (!tx) this.#options.submitted(submissions, made.accepted)
    return this.handle(made.id)
  }

  async #prepare(runs: readonly GroupRun[], call: GroupCallOptions) {
    const { handlers, payloadBytes, store } = this.#options
    const { tx } = checkCall(call)
    const submissions = await groupSubmissions(runs, handlers, payloadBytes)
    this.#options.checkOpen()
    await checkStrict(submissions, handlers, store, this.#options.tenantId)
    return { submissions, tx }
  }

  /** A handle on a group by its id. Does not check that the group exists. */
  handle(group: GroupReference): GroupHandle {
    const id = idOf(group)
    return {
      id,
      get: async () => (await this.get(id)) ?? notFound(id),
      add: (runs, options) => this.add(id, runs, options),
      close: (options) => this.close(id, options),
      done: (options) => this.waitFor(id, options),
      cancel: (reason) => this.cancel(id, reason),
    }
  }

  /** Adds up to 10,000 runs to an open group: all, or none. */
  async add(
    group: GroupReference,
    runs: readonly GroupRun[],
    call: GroupCallOptions = {},
  ): Promise<void> {
    const id = idOf(group)
    const { submissions, tx } = await this.#prepare(runs, call)
    const { store, tenantId } = this.#options
    const accepted = await store.groups.add(id, submissions, tenantId, writeWith(store, tx))
    if (!tx) this.#options.submitted(submissions, accepted)
  }

  /** Closes a group, so that no runs can be added; false when it was closed already. */
  async close(group: GroupReference, call: GroupCallOptions = {}): Promise<boolean> {
    const id = idOf(group)
    const { tx } = checkCall(call)
    const { writes, tenantId } = this.#options
    const close = async (writing: WriteWith) => {
      const result = await this.#close(id, writing)
      const states = { before: { open: true }, after: { open: false } }
      const entry = { action: 'group.close', target: target(id), ...states }
      return { result, entries: result ? [entry] : [] }
    }
    return writes.record(tenantId, close, tx)
  }

  async #close(id: string, writing: WriteWith): Promise<boolean> {
    const { store, tenantId } = this.#options
    return (await store.groups.close(id, tenantId, writing)) ?? notFound(id)
  }

  /** The group with the number of members in each state, or null when there is none. */
  async get(group: GroupReference): Promise<Group | null> {
    return this.#options.store.groups.reader.find(idOf(group), this.#options.tenantId)
  }

  /** Groups, newest first. */
  async list(options: GroupListOptions = {}): Promise<GroupSummary[]> {
    const { done, before, limit = LIST } = options
    if (done !== undefined && typeof done !== 'boolean') refuseOption('done', 'true or false', done)
    const filter = {
      limit: integer('limit', limit, 1, LIST_MAX),
      ...(done !== undefined && { done }),
      ...(before !== undefined && { before: idOf(before) }),
    }
    return this.#options.store.replica.read(({ groups }) =>
      groups.list(filter, this.#options.tenantId),
    )
  }

  /** The members of a group with their states, in the order in which they were added. */
  async runs(group: GroupReference, options: GroupRunsOptions = {}): Promise<GroupMember[]> {
    const { from = 0, limit = MEMBERS } = options
    const page = {
      fromPlace: integer('from', from, 0, limits.membersPerGroup),
      limit: integer('limit', limit, 1, limits.batchSize),
    }
    return this.#options.store.groups.reader.members(idOf(group), page, this.#options.tenantId)
  }

  /** Resolves with the group when it is closed and every member has ended, in any final state. */
  async waitFor(group: GroupReference, options: WaitOptions = {}): Promise<Group> {
    const id = idOf(group)
    const { timeoutMs, signal } = options
    if (timeoutMs !== undefined) integer('timeoutMs', timeoutMs, 0, WAIT_MS_MAX)
    const { reader } = this.#options.store.groups
    const endMs = systemClock.monotonicMs() + (timeoutMs ?? Number.POSITIVE_INFINITY)
    for (let pauseMs = POLL_MIN_MS; ; pauseMs = Math.min(POLL_MAX_MS, pauseMs * 1.5)) {
      if ((await reader.isDone(id, this.#options.tenantId)) ?? notFound(id)) break
      signal?.throwIfAborted()
      const leftMs = endMs - systemClock.monotonicMs()
      if (leftMs <= 0)
        throw new PunctualError(
          'wait_timeout',
          `Group ${id} was not done within ${timeoutMs} ms. Its runs continue; wait longer or read it with groups.get.`,
          { id },
        )
      await systemClock.sleep(Math.min(pauseMs, leftMs), signal)
    }
    return (await this.get(id)) ?? notFound(id)
  }

  /**
   * Closes a group and cancels its live members. It is done, and its callback submitted, when all
   * have ended.
   */
  async cancel(group: GroupReference, reason?: string): Promise<GroupCancelResult> {
    const { writes, tenantId } = this.#options
    const id = idOf(group)
    const entry = {
      action: 'group.cancel',
      target: target(id),
      request: null,
      note: reason,
      summarise: (counts: GroupCancelResult) => counts,
    }
    return writes.recordMany(tenantId, entry, () => this.#cancel(id, reason))
  }

  async #cancel(id: string, reason = 'cancelled'): Promise<GroupCancelResult> {
    checkText('reason', reason, limits.createdByLength)
    await this.#close(id, writeWith(this.#options.store))
    const answers: string[] = []
    let members: GroupMember[]
    let from = 0
    do {
      members = await this.runs(id, { from, limit: MEMBERS })
      from += members.length
      const left = members.filter(({ state }) => lives(state)).map((member) => member.id)
      if (left.length > 0)
        answers.push(
          ...(
            await this.#options.store.steering.cancel(left, reason, this.#options.tenantId)
          ).values(),
        )
    } while (members.length === MEMBERS)
    const count = (result: string) => answers.filter((answer) => answer === result).length
    return { cancelled: count('cancelled'), cancelling: count('cancelling') }
  }
}
