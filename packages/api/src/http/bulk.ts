/**
 * Many items in one request, one per line. With `mode=all` the first invalid line refuses the whole
 * request; with `mode=each` the valid lines are done, and the answer has a result for each line.
 */
import { limits } from '@punctual/core/errors'
import type { FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Service } from '../ports/service.ts'
import { readLines } from '../wire/read-body.ts'
import { answer, exactly, oneOf, problemSchema } from '../wire/schemas.ts'
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

interface Bulk<Item> {
  readonly service: Service
  readonly reply: FastifyReply
  readonly body: string
  readonly each: boolean
  /** Returns a line as an item, or what is wrong with it. */
  read(line: unknown): Item | InvalidRequest
  /**
   * The key by which items done one at a time are sorted: each holds its locks until all are done.
   * @default their order in the request
   */
  orderOf?(item: Item): string
  /** Writes all items or none. */
  write(items: readonly Item[]): Promise<readonly BulkItem[]>
}

interface Line<Item> {
  readonly at: number
  readonly item: Item
}

export async function performBulk<Item>(bulk: Bulk<Item>): Promise<Static<typeof bulkAnswer>> {
  const { reply, each } = bulk
  const read = readLines(bulk.body, limits.payloadBytesCeiling).map((line) =>
    line instanceof Error ? line : bulk.read(line),
  )
  const good: Line<Item>[] = []
  const results: BulkItem[] = read.map((item, at) => {
    if (!(item instanceof Error)) {
      good.push({ at, item })
      return {}
    }
    if (!each) throw new WrongLine(item, at)
    return { problem: inLine(problemFrom(item, reply.request.id), at) }
  })
  const writeAll = () => bulk.write(good.map(({ item }) => item))
  const done = each ? await eachOf(bulk, good, writeAll) : await writeAll()
  for (const [i, { at }] of good.entries()) results[at] = done[i] ?? {}
  const refused = results.filter((result) => 'problem' in result).length
  if (refused > 0) reply.code(207)
  return { accepted: results.length - refused, refused, items: results }
}

/**
 * Writes all valid lines together, which usually succeeds; when one is refused, each separately.
 */
async function eachOf<Item>(
  bulk: Bulk<Item>,
  good: readonly Line<Item>[],
  writeAll: () => Promise<readonly BulkItem[]>,
): Promise<readonly BulkItem[]> {
  const { service, reply } = bulk
  try {
    return await service.transaction(writeAll)
  } catch (error) {
    if (problemFrom(error, '').status >= 500) throw error
  }
  const results = new Map<number, BulkItem>()
  for (const { at, item } of inOrder(bulk, good))
    try {
      const [written = {}] = await service.transaction(() => bulk.write([item]))
      results.set(at, written)
    } catch (error) {
      const problem = inLine(problemFrom(error, reply.request.id), at)
      if (problem.status >= 500) throw error
      results.set(at, { problem })
    }
  return good.map(({ at }) => results.get(at) ?? {})
}

function inOrder<Item>({ orderOf }: Bulk<Item>, lines: readonly Line<Item>[]) {
  if (!orderOf) return lines
  const keyed = lines.map((line) => ({ ...line, key: orderOf(line.item) }))
  return keyed.sort((a, b) => (a.key === b.key ? a.at - b.at : a.key < b.key ? -1 : 1))
}
