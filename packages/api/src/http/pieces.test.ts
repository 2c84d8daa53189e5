import { describe, expect, test } from 'vitest'
import type { AnsweredRequest, Service } from '../ports/service.ts'
import { performBulk } from './bulk.ts'
import { PieceTurns } from './piece-turns.ts'
import { type PieceService, Pieces } from './pieces.ts'

/** A service that stores answers, and whose transactions undo them when the work fails. */
class StoringService {
  readonly stored = new Map<string, AnsweredRequest>()
  transactions = 0

  get port(): PieceService {
    const requests: Service['requests'] = {
      take: async (_, keys) => keys.map((key) => this.stored.get(key) ?? null),
      answered: async (_, answers) => {
        for (const { key, ...answer } of answers) this.stored.set(key, answer)
      },
    }
    const transaction = async <T>(work: () => Promise<T>): Promise<T> => {
      this.transactions++
      const before = new Map(this.stored)
      try {
        return await work()
      } catch (error) {
        this.stored.clear()
        for (const [key, answer] of before) this.stored.set(key, answer)
        throw error
      }
    }
    return { requests, transaction }
  }
}

const key = { text: 'once', fingerprints: ['aa'] } as const
const refusal = () => Object.assign(new Error('This line is refused.'), { statusCode: 422 })

/** Does these lines with `mode=each`; `write` gets the numbers on the lines. */
function bulkOf(pieces: Pieces, numbers: readonly number[], write: (items: number[]) => void) {
  const reply = { code: () => undefined, request: { id: 'request' } }
  return performBulk<number>({
    ...{ reply, pieces, body: numbers.join('\n') },
    read: (line) => Number(line),
    write: async (items) => {
      write([...items])
      return items.map((item) => ({ id: String(item) }))
    },
  })
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

describe('a bulk request in pieces', () => {
  test('writes in transactions of bounded size and isolates each refused line', async () => {
    const service = new StoringService()
    const written: number[] = []
    let largest = 0
    const pieces = new Pieces({
      service: service.port,
      tenantId: 2,
      turns: new PieceTurns(),
      key: null,
    })
    const bad = new Set([3, 700, 1_999])
    const answer = await bulkOf(pieces, upTo(2_000), (items) => {
      largest = Math.max(largest, items.length)
      if (items.some((item) => bad.has(item))) throw refusal()
      written.push(...items)
    })
    expect(largest).toBe(100)
    expect(written).toEqual(upTo(2_000).filter((item) => !bad.has(item)))
    expect(answer).toMatchObject({ accepted: 1_997, refused: 3 })
    for (const [at, item] of answer.items.entries())
      if (bad.has(at)) expect(item.problem).toMatchObject({ pointer: `/${at}` })
      else expect(item.id).toBe(String(at))
    // Twenty pieces and three searches, far fewer than a transaction for each line.
    expect(service.transactions).toBeLessThan(100)
  })

  test('a repeated request continues after the last piece that was done', async () => {
    const service = new StoringService()
    const written: number[] = []
    const request = (fails: boolean) =>
      bulkOf(
        new Pieces({ service: service.port, tenantId: 2, turns: new PieceTurns(), key }),
        upTo(1_800),
        (items) => {
          if (fails && items.includes(1_200)) throw new Error('The server stopped.')
          if (items.includes(7)) throw refusal()
          written.push(...items)
        },
      )
    await expect(request(true)).rejects.toThrow('The server stopped.')
    expect(written.length).toBeGreaterThan(100)
    const answer = await request(false)
    expect(written).toEqual(upTo(1_800).filter((item) => item !== 7))
    expect(answer).toMatchObject({ accepted: 1_799, refused: 1 })
    expect(answer.items[1_799]?.id).toBe('1799')
  })

  test('another request cannot continue with the pieces of a key', async () => {
    const service = new StoringService()
    await bulkOf(
      new Pieces({ service: service.port, tenantId: 2, turns: new PieceTurns(), key }),
      [1, 2],
      () => undefined,
    )
    const other = { text: 'once', fingerprints: ['bb'] } as const
    const again = bulkOf(
      new Pieces({ service: service.port, tenantId: 2, turns: new PieceTurns(), key: other }),
      [5],
      () => undefined,
    )
    await expect(again).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  })
})
