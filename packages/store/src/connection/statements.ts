/**
 * SQL lives in files, one statement each (sql/source.ts). This module reads each once and prepares
 * it: the schema `punctual.` becomes the installation's, and `runs /* day 0 *\/` becomes today's
 * partition, because naming it costs half as much as routing to it. Every statement has a name, so
 * that the server keeps its plan.
 */

import { readStatement } from '../sql/source.ts'
import type { TypedStatement } from '../sql/typed.ts'
import { dayName } from './day-names.ts'

const DAY = /punctual\.(\w+) \/\* day (-?\d+) \*\//g
const SCHEMA = /\bpunctual\./g
const SAFE_SCHEMA = /^[a-z_][a-z0-9_]{0,47}$/

export interface Statement {
  readonly name: string
  readonly text: string
}

/** Whether a schema name can stand in SQL unquoted: lower-case letters, digits and `_`. */
export function isSchemaName(schema: string): boolean {
  return SAFE_SCHEMA.test(schema)
}

export function inSchema(sql: string, schema: string): string {
  return schema === 'punctual' ? sql : sql.replaceAll(SCHEMA, `${schema}.`)
}

export class Statements {
  readonly schema: string
  readonly #nowMs: () => number
  readonly #sources = new Map<string, string>()
  readonly #ready = new Map<string, Statement>()

  /** `nowMs` is the database's clock: it decides which day's partitions a statement names. */
  constructor(schema: string, nowMs: () => number) {
    this.schema = schema
    this.#nowMs = nowMs
  }

  /** The text and the name of a statement, now. */
  of({ path, daily }: TypedStatement<unknown>): Statement {
    return daily ? this.onDay(path, this.#nowMs()) : this.get(path)
  }

  #source(path: string): string {
    let source = this.#sources.get(path)
    if (source === undefined) {
      source = readStatement(path)
      this.#sources.set(path, source)
    }
    return source
  }

  /** `path` is `<aggregate>/<verb>-<noun>`. */
  get(path: string): Statement {
    let statement = this.#ready.get(path)
    if (!statement) {
      statement = { name: path, text: inSchema(this.#source(path), this.schema) }
      this.#ready.set(path, statement)
    }
    return statement
  }

  /** A statement that names the partitions of a day; prepared anew each day. */
  onDay(path: string, nowMs: number): Statement {
    const name = `${path}@${dayName(nowMs)}`
    let statement = this.#ready.get(name)
    if (!statement) {
      const text = this.#source(path).replaceAll(
        DAY,
        (_, table: string, offset: string) =>
          `punctual.${table}_${dayName(nowMs + Number(offset) * 86_400_000)}`,
      )
      statement = { name, text: inSchema(text, this.schema) }
      this.#ready.set(name, statement)
    }
    return statement
  }
}
