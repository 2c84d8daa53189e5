/**
 * Many items in one request, one per line. With `mode=all` the first invalid line refuses the whole
 * request; with `mode=each` the valid lines are done, and the answer has a result for each line.
 */
import { invariant, limits, PunctualError } from '@punctual/core/errors'
import Type, { type Static } from 'typebox'
import { readLines } from '../wire/read-body.ts'
import { answer, exactly, oneOf, problemSchema } from '../wire/schemas.ts'
import type { Pieces } from './pieces.ts'
import { inLine, problemFrom, WrongLine } from './problem.ts'
import type { InvalidRequest } from './validator.ts'

export const bulkQuery = exactly({
  mode: Type.Optional(
    oneOf(['all', 'each'] as const, {
      default: 'all',
      description: '`all`: all lines or none. `each`: the valid lines, with a result for each.',
    }),
  ),
})

const item = answer({
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  created: Type.Optional(Type.Boolean()),
  outcome: Type.Optional(Type.String()),
  change: Type.Optional(Type.String()),
  problem: Type.Optional(problemSchema),
})

export const bulkAnswer = answer({
  accepted: Type.Integer(),
  refused: Type.Integer(),
  items: Type.Array(item, { description: 'In the order of the lines.' }),
})

export const someRefused = { 207: 'With `mode=each`: some lines were refused.' }

interface Created {
  readonly created: string
}

/** Packs the answer that an idempotency key stores: only the ids when every run was created. */
export function packBulk(answer: Static<typeof bulkAnswer>): Static<typeof bulkAnswer> | Created {
  const { items, refused } = answer
  const isPlain = refused === 0 && items.every(({ id, outcome }) => id && outcome === 'created')
  if (!isPlain) return answer
  const hex = items
    .map(({ id }) => id)
    .join('')
    .replaceAll('-', '')
  return { created: Buffer.from(hex, 'hex').toString('base64url') }
}

export function unpackBulk(kept: Static<typeof bulkAnswer> | Created): Static<typeof bulkAnswer> {
  if (!('created' in kept)) return kept
  const hex = Buffer.from(kept.created, 'base64url').toString('hex')
  const ids = hex.match(/.{32}/g) ?? []
  const items = ids.map((id) => ({
    id: id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    ...{ created: true, outcome: 'created' },
  }))
  return { accepted: items.length, refused: 0, items }
}

/** What was written for a line, or why it was refused. */
type BulkItem = Static<typeof item>

/** What a bulk request needs of its reply. */
interface BulkReply {
  readonly request: { readonly id: string }
  code(status: number): unknown
}

interface Bulk<Item> {
  readonly reply: BulkReply
  readonly body: string
  /** With `mode=each`: the short transactions in which the lines are done. */
  readonly pieces: Pieces | null
  /** Returns a line as an item, or what is wrong with it. */
  read(line: unknown): Item | InvalidRequest
  /** Writes all items or none. */
  write(items: readonly Item[]): Promise<readonly BulkItem[]>
}

interface Line<Item> {
  readonly at: number
  readonly item: Item
}

/** Whether the lines of a request are done in pieces. */
export function inPieces({ mode }: Static<typeof bulkQuery>): boolean {
  return mode === 'each'
}

export async function performBulk<Item>(bulk: Bulk<Item>): Promise<Static<typeof bulkAnswer>> {
  const { reply, pieces } = bulk
  const read = readLines(bulk.body, limits.payloadBytesCeiling).map((line) =>
    line instanceof Error ? line : bulk.read(line),
  )
  const good: Line<Item>[] = []
  const results: BulkItem[] = read.map((item, at) => {
    if (!(item instanceof Error)) {
      good.push({ at, item })
      return {}
    }
    if (pieces === null) throw new WrongLine(item, at)
    return { problem: inLine(problemFrom(item, reply.request.id), at) }
  })
  const done = pieces
    ? await eachOf(bulk, pieces, good)
    : await bulk.write(good.map(({ item }) => item))
  for (const [i, { at }] of good.entries()) results[at] = done[i] ?? {}
  const refused = results.filter((result) => 'problem' in result).length
  if (refused > 0) reply.code(207)
  return { accepted: results.length - refused, refused, items: results }
}

/** Lines that one transaction does at most: it is short, and so is the wait of other writers. */
const LINES_PER_PIECE = 100

/**
 * Writes the lines in order, in transactions of bounded size, none of which has a savepoint for a
 * line. When a transaction is refused, its lines are divided and tried again in new transactions,
 * until the refused line is alone.
 */
async function eachOf<Item>(
  bulk: Bulk<Item>,
  pieces: Pieces,
  good: readonly Line<Item>[],
): Promise<readonly BulkItem[]> {
  const results = (await pieces.earlier<readonly BulkItem[]>()).flat()
  // The refused lines since the last piece; they are stored with the next one.
  let refused: BulkItem[] = []
  const ends = dividedFrom(results.length, good.length)
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    const from = results.length + refused.length
    const lines = good.slice(from, end)
    const before = refused
    try {
      const written = await pieces.perform(async () => {
        const items = await bulk.write(lines.map(({ item }) => item))
        return [...before, ...lines.map((_, i) => items[i] ?? {})]
      })
      results.push(...written)
      refused = []
    } catch (error) {
      const [first] = lines
      invariant(first, 'a piece has at least one line')
      const problem = problemFrom(error, bulk.reply.request.id)
      if (problem.status >= 500) throw error
      if (lines.length > 1) ends.push(end, ...divided(from, end, error))
      else refused = [...refused, { problem: inLine(problem, first.at) }]
    }
  }
  return [...results, ...refused]
}

/** The ends of the pieces from a line to the end, the next one last. */
function dividedFrom(from: number, to: number): number[] {
  const ends: number[] = []
  for (let end = from; end < to; ) {
    end = Math.min(to, end + LINES_PER_PIECE)
    ends.unshift(end)
  }
  return ends
}

/** Where to divide refused lines, the next end last: around the line that is named, or in half. */
function divided(from: number, end: number, error: unknown): number[] {
  const field = error instanceof PunctualError ? (error.field ?? '') : ''
  const named = from + Number(/^\[(\d+)\]/.exec(field)?.[1] ?? Number.NaN)
  const middle = Math.ceil((from + end) / 2)
  const ends = named < end ? [named + 1, named] : [middle]
  return ends.filter((at) => from < at && at < end)
}
