/** A YAML or JSON file that knows where its entries are, so that what is wrong with one is told with its place. */
import { PunctualError } from '@punctual/core/errors'
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
} from 'yaml'
import { CliError } from '../runtime/cli-error.ts'

/** Names and positions, from the outside in; the first is the number of the document. */
export type FilePath = readonly (string | number)[]

/** The fields that refusals of a schedule are about. */
const SCHEDULES = ['cron', 'every', 'everyAfterEnd', 'at']

export class FilePlaces {
  readonly #name: string
  readonly #lines = new LineCounter()
  readonly #documents: readonly Document.Parsed[]
  /** What the file holds: each document, or each entry of a document that is a list. */
  readonly roots: readonly { readonly value: unknown; readonly path: FilePath }[]

  /** JSON is read as the YAML that it is. */
  constructor(name: string, text: string) {
    this.#name = name
    const options = { lineCounter: this.#lines, prettyErrors: false, merge: true }
    const documents = parseAllDocuments(text, options)
    this.#documents = 'empty' in documents ? [] : documents
    for (const document of this.#documents) {
      for (const error of document.errors) this.#refuse(error)
      visit(document, {
        Scalar: (_, { value, range }) => this.#checkNumber(value, range?.[0] ?? 0),
      })
    }
    this.roots = this.#documents.flatMap((document, i) => {
      const value: unknown = this.#valueOf(document)
      if (value === null || value === undefined) return []
      if (!Array.isArray(value)) return [{ value, path: [i] }]
      return value.map((entry: unknown, n) => ({ value: entry, path: [i, n] }))
    })
  }

  #valueOf(document: Document.Parsed): unknown {
    try {
      return document.toJS()
    } catch (cause) {
      // Too many aliases, or one that leads nowhere.
      throw this.#invalid(`${this.#name}: ${(cause as Error).message}`, cause)
    }
  }

  #checkNumber(value: unknown, offset: number): void {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return
    const message = 'This integer is too large to be kept exactly. Write it as a text.'
    throw this.#invalid(`${this.#placeOf(offset)}: ${message}`)
  }

  #refuse({ message, pos }: { message: string; pos: [number, number] }): never {
    const hint = 'Texts that begin with * or @, as schedules do, stand in quotes: "*/5 * * * *".'
    throw this.#invalid(`${this.#placeOf(pos[0])}: ${message}`, undefined, hint)
  }

  #invalid(message: string, cause?: unknown, hint?: string): CliError {
    return new CliError('file_invalid', message, { cause, ...(hint && { hint }) })
  }

  #placeOf(offset: number): string {
    const { line, col } = this.#lines.linePos(offset)
    return `${this.#name}:${line}:${col}`
  }

  /** `jobs.yaml:12:5` of an entry, or of the nearest one around it that there is. */
  at(path: FilePath): string {
    const [number = 0, ...rest] = path
    const document = this.#documents[number as number]
    if (!document) return this.#name
    let node: unknown = document.contents
    let offset = offsetOf(node) ?? 0
    for (const step of rest) {
      const entered = enter(isAlias(node) ? node.resolve(document) : node, step)
      if (!entered) break
      node = entered.node
      offset = offsetOf(node) ?? entered.offset ?? offset
    }
    return this.#placeOf(offset)
  }

  /** Runs a check of one entry; its refusal is told with the place of the field that it names. */
  locating<T>(path: FilePath, what: string, check: () => T): T {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof PunctualError)) throw error
      const { code, message, field, position } = error
      const place = this.at([...path, ...this.#fieldOf(path, field ?? '')])
      throw new PunctualError(code, `${place}: ${what}: ${message}`, {
        cause: error,
        ...(field !== undefined && { field }),
        ...(position !== undefined && { position }),
      })
    }
  }

  /** `misfire.maxAgeMs` and `windows[0].from` as steps; what is wrong with a schedule is where it is written. */
  #fieldOf(path: FilePath, field: string): FilePath {
    if (field !== 'expression')
      return field
        .split(/[.[\]]+/)
        .filter(Boolean)
        .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
    const around = this.at(path)
    const name = SCHEDULES.find((it) => this.at([...path, it]) !== around)
    return name === undefined ? [] : [name]
  }
}

function enter(node: unknown, step: string | number) {
  if (isSeq(node)) return typeof step === 'number' ? { node: node.items[step], offset: null } : null
  if (!isMap(node)) return null
  const pair = node.items.find(
    ({ key }) => String(isScalar(key) ? key.value : key) === String(step),
  )
  return pair ? { node: pair.value, offset: offsetOf(pair.key) } : null
}

function offsetOf(node: unknown): number | null {
  return isNode(node) ? ((node as Node).range?.[0] ?? null) : null
}
