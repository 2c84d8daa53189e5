/** A YAML or JSON file that knows the position of each entry, so that errors can name it. */
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

/** Names and positions, outermost first; the first element is the index of the document. */
export type FilePath = readonly (string | number)[]

/** The fields that hold a schedule. */
const SCHEDULES = ['cron', 'every', 'everyAfterEnd', 'at']

export class FilePlaces {
  readonly #name: string
  readonly #lines = new LineCounter()
  readonly #documents: readonly Document.Parsed[]
  /** The entries of the file: each document, or each element of a document that is a list. */
  readonly roots: readonly { readonly value: unknown; readonly path: FilePath }[]

  /** JSON is a subset of YAML and is read by the same parser. */
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
      // Too many aliases, or an alias without an anchor.
      throw this.#invalid(`${this.#name}: ${(cause as Error).message}`, cause)
    }
  }

  #checkNumber(value: unknown, offset: number): void {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return
    const message = 'This integer is too large to be represented exactly. Write it as a string.'
    throw this.#invalid(`${this.#placeOf(offset)}: ${message}`)
  }

  #refuse({ message, pos }: { message: string; pos: [number, number] }): never {
    const hint = 'Quote strings that begin with * or @, as schedules do: "*/5 * * * *".'
    throw this.#invalid(`${this.#placeOf(pos[0])}: ${message}`, undefined, hint)
  }

  #invalid(message: string, cause?: unknown, hint?: string): CliError {
    return new CliError('file_invalid', message, { cause, ...(hint && { hint }) })
  }

  #placeOf(offset: number): string {
    const { line, col } = this.#lines.linePos(offset)
    return `${this.#name}:${line}:${col}`
  }

  /** The position of an entry, such as `jobs.yaml:12:5`, or of its nearest existing ancestor. */
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

  /** Runs a check of one entry; adds the position of the offending field to its error. */
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

  /**
   * `misfire.maxAgeMs` and `windows[0].from` as steps; an error in a schedule points to the field
   * that holds it.
   */
  #fieldOf(path: FilePath, field: string): FilePath {
    if (field !== 'expression')
      return field
        .split(/[.[\]]+/)
        .filter(Boolean)
        .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
    const around = this.at(path)
    const name = SCHEDULES.find((field) => this.at([...path, field]) !== around)
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
