// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { CalendarInput } from '@punctual/core/schedule'
import { boolean, json, number, text } from '../sql/cells.ts'
import type { Call, Num, Text, TypedStatement } from '../sql/typed.ts'

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

export interface ListCalendarsRow {
  readonly name: string
  readonly spec: CalendarInput
  readonly version: number
}

const LIST_CALENDARS: TypedStatement<ListCalendarsRow> = {
  path: 'calendars/list-calendars',
  daily: false,
  columns: ['name', 'spec', 'version'],
  decode: (row) => ({
    name: text(row[0]),
    spec: json(row[1]) as CalendarInput,
    version: number(row[2]),
  }),
}

/** The calendars of a tenant. */
export function listCalendars(tenant: Num): Call<ListCalendarsRow> {
  return { statement: LIST_CALENDARS, values: [tenant] }
}

const UPSERT_CALENDAR: TypedStatement<null> = {
  path: 'calendars/upsert-calendar',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Creates or replaces a calendar. */
export function upsertCalendar(tenant: Num, name: Text, spec: Text): Call<null> {
  return { statement: UPSERT_CALENDAR, values: [tenant, name, spec] }
}
