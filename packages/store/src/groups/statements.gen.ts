// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { GroupCounts, RunState } from '@punctual/core/run'
import type { SubmitOptions } from '@punctual/core/submit'
import { boolean, date, json, number, orNull, text } from '../sql/cells.ts'
import type { Bool, Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface AddMembersRow {
  readonly total: number
}

const ADD_MEMBERS: TypedStatement<AddMembersRow> = {
  path: 'groups/add-members',
  daily: false,
  columns: ['total'],
  decode: (row) => ({
    total: number(row[0]),
  }),
}

/** Adds runs to a group that this transaction has locked. Existing members stay unchanged: a run
 * with a key may be added twice, and so may any run after a lost reply. */
export function addMembers(group: Text, runIds: List<'uuid'>): Call<AddMembersRow> {
  return { statement: ADD_MEMBERS, values: [group, runIds] }
}

export interface CloseGroupRow {
  readonly closed: boolean
}

const CLOSE_GROUP: TypedStatement<CloseGroupRow> = {
  path: 'groups/close-group',
  daily: false,
  columns: ['closed'],
  decode: (row) => ({
    closed: boolean(row[0]),
  }),
}

/** Closes a group: nothing can be added to it any more. Waits for transactions that are adding to
 * it. */
export function closeGroup(id: Text, tenant: Num): Call<CloseGroupRow> {
  return { statement: CLOSE_GROUP, values: [id, tenant] }
}

export interface FindDoneRow {
  readonly done: boolean
}

const FIND_DONE: TypedStatement<FindDoneRow> = {
  path: 'groups/find-done',
  daily: false,
  columns: ['done'],
  decode: (row) => ({
    done: boolean(row[0]),
  }),
}

/** Whether a group is done. */
export function findDone(id: Text, tenant: Num): Call<FindDoneRow> {
  return { statement: FIND_DONE, values: [id, tenant] }
}

export interface FindGroupRow {
  readonly id: string
  readonly name: string | null
  readonly total: number
  readonly createdAt: Date
  readonly closedAt: Date | null
  readonly doneAt: Date | null
  readonly callbackRunId: string | null
  readonly passed: number
  readonly succeeded: number
  readonly dead: number
  readonly cancelled: number
  readonly skipped: number
  readonly unknown: number
  readonly others: Partial<GroupCounts> | null
}

const FIND_GROUP: TypedStatement<FindGroupRow> = {
  path: 'groups/find-group',
  daily: false,
  columns: ['id', 'name', 'total', 'created_at', 'closed_at', 'done_at', 'callback_run_id', 'passed', 'succeeded', 'dead', 'cancelled', 'skipped', 'unknown', 'others'],
  decode: (row) => ({
    id: text(row[0]),
    name: orNull(text, row[1]),
    total: number(row[2]),
    createdAt: date(row[3]),
    closedAt: orNull(date, row[4]),
    doneAt: orNull(date, row[5]),
    callbackRunId: orNull(text, row[6]),
    passed: number(row[7]),
    succeeded: number(row[8]),
    dead: number(row[9]),
    cancelled: number(row[10]),
    skipped: number(row[11]),
    unknown: number(row[12]),
    others: orNull(json, row[13]) as Partial<GroupCounts> | null,
  }),
}

/** A group and the states of its members. */
export function findGroup(id: Text, tenant: Num): Call<FindGroupRow> {
  return { statement: FIND_GROUP, values: [id, tenant] }
}

export interface FindKeyedMembersRow {
  readonly key: string
  readonly runId: string
  readonly writtenAt: string | null
}

const FIND_KEYED_MEMBERS: TypedStatement<FindKeyedMembersRow> = {
  path: 'groups/find-keyed-members',
  daily: false,
  columns: ['key', 'run_id', 'written_at'],
  decode: (row) => ({
    key: text(row[0]),
    runId: text(row[1]),
    writtenAt: orNull(text, row[2]),
  }),
}

/** The members of a group that have these keys: an earlier submission, which has committed, returned
 * these runs instead of creating new ones. The last run of a key, if there are several. Writes to
 * the WAL, for the reason given in find-commit. */
export function findKeyedMembers(group: Text, tenant: Num, keys: List<'text'>): Call<FindKeyedMembersRow> {
  return { statement: FIND_KEYED_MEMBERS, values: [group, tenant, keys] }
}

export interface FindMembersRow {
  readonly runId: string
  readonly writtenAt: string | null
}

const FIND_MEMBERS: TypedStatement<FindMembersRow> = {
  path: 'groups/find-members',
  daily: false,
  columns: ['run_id', 'written_at'],
  decode: (row) => ({
    runId: text(row[0]),
    writtenAt: orNull(text, row[1]),
  }),
}

/** Finds the given runs that are already members of a group, because an earlier attempt to add them
 * has committed. Emits a WAL message, for the reason given in find-commit. */
export function findMembers(group: Text, runIds: List<'uuid'>): Call<FindMembersRow> {
  return { statement: FIND_MEMBERS, values: [group, runIds] }
}

export interface FinishGroupRow {
  readonly tenantId: number
  readonly name: string | null
  readonly total: number
  readonly succeeded: number
  readonly dead: number
  readonly cancelled: number
  readonly skipped: number
  readonly unknown: number
  readonly callback: { handler: string; options: SubmitOptions } | null
  readonly callbackPayload: string | null
}

const FINISH_GROUP: TypedStatement<FinishGroupRow> = {
  path: 'groups/finish-group',
  daily: false,
  columns: ['tenant_id', 'name', 'total', 'succeeded', 'dead', 'cancelled', 'skipped', 'unknown', 'callback', 'callback_payload'],
  decode: (row) => ({
    tenantId: number(row[0]),
    name: orNull(text, row[1]),
    total: number(row[2]),
    succeeded: number(row[3]),
    dead: number(row[4]),
    cancelled: number(row[5]),
    skipped: number(row[6]),
    unknown: number(row[7]),
    callback: orNull(json, row[8]) as { handler: string; options: SubmitOptions } | null,
    callbackPayload: orNull(text, row[9]),
  }),
}

/** Marks a group as done when all of its members have ended. If several transactions try at the same
 * time, one succeeds, and that transaction submits the callback. */
export function finishGroup(id: Text): Call<FinishGroupRow> {
  return { statement: FINISH_GROUP, values: [id] }
}

export interface HintGroupsRow {
  readonly pgNotify: string | null
}

const HINT_GROUPS: TypedStatement<HintGroupsRow> = {
  path: 'groups/hint-groups',
  daily: false,
  columns: ['pg_notify'],
  decode: (row) => ({
    pgNotify: orNull(text, row[0]),
  }),
}

/** Notifies listeners, when the transaction commits, of groups that were created, added to or
 * closed. */
export function hintGroups(channel: Text, hint: Text): Call<HintGroupsRow> {
  return { statement: HINT_GROUPS, values: [channel, hint] }
}

export interface InsertGroupRow {
  readonly id: string | null
  readonly isLeft: boolean | null
}

const INSERT_GROUP: TypedStatement<InsertGroupRow> = {
  path: 'groups/insert-group',
  daily: false,
  columns: ['id', 'is_left'],
  decode: (row) => ({
    id: orNull(text, row[0]),
    isLeft: orNull(boolean, row[1]),
  }),
}

/** Creates a group without members. An existing group was created by an earlier attempt whose reply
 * was lost: this waits for that attempt if it is still open, and then returns no id. The number of
 * groups that are not done is bounded: concurrent calls may exceed the bound by their number. */
export function insertGroup(id: Text, tenant: Num, name: Text, callback: Text, payloadOfCallback: Text, nothingCanBeAdded: Bool, mostGroupsThatAre: Num): Call<InsertGroupRow> {
  return { statement: INSERT_GROUP, values: [id, tenant, name, callback, payloadOfCallback, nothingCanBeAdded, mostGroupsThatAre] }
}

export interface ListGroupsRow {
  readonly id: string
  readonly name: string | null
  readonly total: number
  readonly createdAt: Date
  readonly closedAt: Date | null
  readonly doneAt: Date | null
  readonly callbackRunId: string | null
}

const LIST_GROUPS: TypedStatement<ListGroupsRow> = {
  path: 'groups/list-groups',
  daily: false,
  columns: ['id', 'name', 'total', 'created_at', 'closed_at', 'done_at', 'callback_run_id'],
  decode: (row) => ({
    id: text(row[0]),
    name: orNull(text, row[1]),
    total: number(row[2]),
    createdAt: date(row[3]),
    closedAt: orNull(date, row[4]),
    doneAt: orNull(date, row[5]),
    callbackRunId: orNull(text, row[6]),
  }),
}

/** Groups, newest first. */
export function listGroups(tenant: Num, beforeThisId: Text, onlyDoneOnes: Bool, mostRows: Num): Call<ListGroupsRow> {
  return { statement: LIST_GROUPS, values: [tenant, beforeThisId, onlyDoneOnes, mostRows] }
}

export interface ListMembersRow {
  readonly runId: string
  readonly place: number
  readonly state: RunState | 'removed'
}

const LIST_MEMBERS: TypedStatement<ListMembersRow> = {
  path: 'groups/list-members',
  daily: false,
  columns: ['run_id', 'place', 'state'],
  decode: (row) => ({
    runId: text(row[0]),
    place: number(row[1]),
    state: text(row[2]) as RunState | 'removed',
  }),
}

/** Returns members of a group with their states, in the order in which they were added. */
export function listMembers(group: Text, tenant: Num, firstPosition: Num, maximumNumberOfRows: Num): Call<ListMembersRow> {
  return { statement: LIST_MEMBERS, values: [group, tenant, firstPosition, maximumNumberOfRows] }
}

export interface LockGroupRow {
  readonly total: number
  readonly closed: boolean
}

const LOCK_GROUP: TypedStatement<LockGroupRow> = {
  path: 'groups/lock-group',
  daily: false,
  columns: ['total', 'closed'],
  decode: (row) => ({
    total: number(row[0]),
    closed: boolean(row[1]),
  }),
}

/** Keeps other transactions from closing a group, or adding to it, until this one ends. */
export function lockGroup(id: Text, tenant: Num): Call<LockGroupRow> {
  return { statement: LOCK_GROUP, values: [id, tenant] }
}

export interface LookAtGroupsRow {
  readonly id: string
  readonly passed: number
  readonly until: number
  readonly total: number
  readonly closed: boolean
}

const LOOK_AT_GROUPS: TypedStatement<LookAtGroupsRow> = {
  path: 'groups/look-at-groups',
  daily: false,
  columns: ['id', 'passed', 'until', 'total', 'closed'],
  decode: (row) => ({
    id: text(row[0]),
    passed: number(row[1]),
    until: number(row[2]),
    total: number(row[3]),
    closed: boolean(row[4]),
  }),
}

/** Finds out how far open groups have progressed: up to the first member that has not ended, from
 * where the previous call stopped. */
export function lookAtGroups(afterThisGroup: Text, mostGroups: Num, mostMembersOfEach: Num): Call<LookAtGroupsRow> {
  return { statement: LOOK_AT_GROUPS, values: [afterThisGroup, mostGroups, mostMembersOfEach] }
}

export interface MoveGroupsRow {
  readonly id: string
}

const MOVE_GROUPS: TypedStatement<MoveGroupsRow> = {
  path: 'groups/move-groups',
  daily: false,
  columns: ['id'],
  decode: (row) => ({
    id: text(row[0]),
  }),
}

/** Moves the position of groups past members that have ended, and adds the outcomes of these members
 * to the counts of the group. Changes nothing in a group that another caller has already moved.
 * Skips a group that another transaction has locked; the next round moves it. */
export function moveGroups(groups: List<'uuid'>, oldPositions: List<'int4'>, newPositions: List<'int4'>): Call<MoveGroupsRow> {
  return { statement: MOVE_GROUPS, values: [groups, oldPositions, newPositions] }
}

const SET_CALLBACK_RUN: TypedStatement<null> = {
  path: 'groups/set-callback-run',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Stores the callback run of a group, in the transaction that marked the group as done. */
export function setCallbackRun(group: Text, run: Text): Call<null> {
  return { statement: SET_CALLBACK_RUN, values: [group, run] }
}
