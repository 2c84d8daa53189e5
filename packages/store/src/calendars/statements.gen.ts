// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { CalendarInput } from '@punctual/core/schedule'
import { boolean, json, number, text } from '../sql/cells.ts'
import type { Big, Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface DeleteCalendarRow {
  readonly existed: boolean
  readonly users: number
}

const DELETE_CALENDAR: TypedStatement<DeleteCalendarRow> = {
  path: 'calendars/delete-calendar',
  daily: false,
  columns: ['existed', 'users'],
  decode: (row) => ({
    existed: boolean(row[0]),
    users: number(row[1]),
  }),
}

/** Removes a calendar that no job uses. */
export function deleteCalendar(tenant: Num, name: Text): Call<DeleteCalendarRow> {
  return { statement: DELETE_CALENDAR, values: [tenant, name] }
}

export interface FindCalendarRow {
  readonly spec: CalendarInput
}

const FIND_CALENDAR: TypedStatement<FindCalendarRow> = {
  path: 'calendars/find-calendar',
  daily: false,
  columns: ['spec'],
  decode: (row) => ({
    spec: json(row[0]) as CalendarInput,
  }),
}

/** A calendar of a tenant. */
export function findCalendar(tenant: Num, name: Text): Call<FindCalendarRow> {
  return { statement: FIND_CALENDAR, values: [tenant, name] }
}

export interface FindNamesRow {
  readonly name: string
}

const FIND_NAMES: TypedStatement<FindNamesRow> = {
  path: 'calendars/find-names',
  daily: false,
  columns: ['name'],
  decode: (row) => ({
    name: text(row[0]),
  }),
}

/** The calendars of a tenant that have one of these names. */
export function findNames(tenant: Num, names: List<'text'>): Call<FindNamesRow> {
  return { statement: FIND_NAMES, values: [tenant, names] }
}

export interface ListCalendarsRow {
  readonly name: string
  readonly spec: CalendarInput
  readonly more: boolean
}

const LIST_CALENDARS: TypedStatement<ListCalendarsRow> = {
  path: 'calendars/list-calendars',
  daily: false,
  columns: ['name', 'spec', 'more'],
  decode: (row) => ({
    name: text(row[0]),
    spec: json(row[1]) as CalendarInput,
    more: boolean(row[2]),
  }),
}

/** The calendars of a tenant by name, a page at a time. A page ends where its bytes would exceed a
 * number, after one calendar at least. */
export function listCalendars(tenant: Num, afterThisName: Text, mostBytes: Big): Call<ListCalendarsRow> {
  return { statement: LIST_CALENDARS, values: [tenant, afterThisName, mostBytes] }
}

export interface UpsertCalendarRow {
  readonly version: number
}

const UPSERT_CALENDAR: TypedStatement<UpsertCalendarRow> = {
  path: 'calendars/upsert-calendar',
  daily: false,
  columns: ['version'],
  decode: (row) => ({
    version: number(row[0]),
  }),
}

/** Creates or replaces a calendar, unless the tenant has as many as it may have. */
export function upsertCalendar(tenant: Num, name: Text, spec: Text, mostCalendars: Big): Call<UpsertCalendarRow> {
  return { statement: UPSERT_CALENDAR, values: [tenant, name, spec, mostCalendars] }
}
