/**
 * Many items in one request, one per line. With `mode=all` the first invalid line refuses the whole
 * request; with `mode=each` the valid lines are done, and the answer has a result for each line.
 */
import { limits } from '@punctual/core/errors'
import type { FastifyReply } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import type { Service } from '../ports/service.ts'
import { readLines } from '../wire/read-body.ts'
import { answer, exactly, oneOf, problemSchema } from '../wire/schemas.ts'
import { inLine, problemFrom } from './problem.ts'
import { type Check, checker } from './validator.ts'
import { WrongLine } from './wrong-line.ts'

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

interface Bulk<Item> {
  readonly service: Service
  readonly reply: FastifyReply
  readonly schema: TSchema
  readonly body: string
  readonly each: boolean
  /**
   * The key by which items done one at a time are sorted: each holds its locks until all are done.
   * @default their order in the request
   */
  orderOf?(item: Item): string
  /** Writes all items or none. */
  write(items: readonly Item[]): Promise<readonly object[]>
}

const checks = new WeakMap<TSchema, Check>()

function checkOf(schema: TSchema): Check {
  let check = checks.get(schema)
  if (!check) {
    check = checker(schema, 'line')
    checks.set(schema, check)
  }
  return check
}

export async function performBulk<Item>(bulk: Bulk<Item>): Promise<Static<typeof bulkAnswer>> {
  const { reply, each } = bulk
  const check = checkOf(bulk.schema)
  const lines = readLines(bulk.body, limits.payloadBytesCeiling).map((line) =>
    line instanceof Error ? line : (check(line) ?? line),
  )
  const wrong = lines.findIndex((line) => line instanceof Error)
  if (wrong >= 0 && !each) throw new WrongLine(lines[wrong] as Error, wrong)
  if (!each) {
    const items = await bulk.write(lines as readonly Item[])
    return { accepted: items.length, refused: 0, items: items as never }
  }
  const good = lines.flatMap((line, at) => (line instanceof Error ? [] : [{ at, line }]))
  const results: object[] = lines.map((line, at) =>
    line instanceof Error ? { problem: inLine(problemFrom(line, reply.request.id), at) } : {},
  )
  const done = await eachOf(bulk, good)
  good.forEach(({ at }, n) => {
    results[at] = done[n] as object
  })
  const refused = results.filter((result) => 'problem' in result).length
  if (refused > 0) reply.code(207)
  return { accepted: results.length - refused, refused, items: results as never }
}

/**
 * Writes all valid lines together, which usually succeeds; when one is refused, each separately.
 */
async function eachOf<Item>(bulk: Bulk<Item>, good: readonly { at: number; line: unknown }[]) {
  const { service } = bulk
  try {
    return await service.transaction(() => bulk.write(good.map(({ line }) => line as Item)))
  } catch (error) {
    if (problemFrom(error, '').status >= 500) throw error
  }
  const results = new Map<number, object>()
  for (const { at, line } of inOrder(bulk, good)) {
    const result = await service
      .transaction(() => bulk.write([line as Item]))
      .then(([done]) => done as object)
      .catch((error: unknown) => {
        const problem = inLine(problemFrom(error, bulk.reply.request.id), at)
        if (problem.status >= 500) throw error
        return { problem }
      })
    results.set(at, result)
  }
  return good.map(({ at }) => results.get(at) as object)
}

function inOrder<Item>({ orderOf }: Bulk<Item>, lines: readonly { at: number; line: unknown }[]) {
  if (!orderOf) return lines
  const keyed = lines.map((entry) => ({ ...entry, key: orderOf(entry.line as Item) }))
  return keyed.sort((a, b) => (a.key === b.key ? a.at - b.at : a.key < b.key ? -1 : 1))
}
