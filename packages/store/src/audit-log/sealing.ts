/**
 * Seals audit log entries: gives each its place in the chain of its tenant, after the entries that
 * were sealed before.
 *
 * Writers never wait for the sealer or for each other: they only insert. The order of a chain is
 * the order of sealing, not of the ids: a transaction that commits late shows its entry late. So no
 * "sealed up to" mark exists: a row in `audit_unsealed` marks each waiting entry, and the
 * transaction that seals the entry deletes it. One sealer of the installation works at a time,
 * under a lock that ends with its transaction; if two ever worked at once, the unique keys of a
 * place and of an entry would refuse the second.
 */
import { invariant } from '@punctual/core/errors'
import type { SealStore } from '@punctual/core/ports'
import type pg from 'pg'
import { int4Array, int8ArrayOfNumbers, textArray, uuidArray } from '../connection/binary-arrays.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { contentOf, linkOf, NO_HASH } from './entry-hash.ts'
import {
  advanceHeads,
  findHeads,
  findUnsealed,
  insertSeals,
  type ListUnsealedRow,
  listUnsealed,
  trySealing,
} from './statements.gen.ts'

interface Seal {
  readonly chain: number
  readonly seq: number
  readonly entryId: string
  readonly content: string
  readonly hash: string
}

type Ends = Map<number, { readonly seq: number; readonly hash: string }>

export class Sealing implements SealStore {
  readonly #database: Database
  readonly #clientPool: ClientPool

  constructor(database: Database, clientPool: ClientPool) {
    this.#database = database
    this.#clientPool = clientPool
  }

  async seal(most: number): Promise<{ sealed: number; more: boolean }> {
    const [found] = await this.#database.upkeep.run(findUnsealed())
    if (!found?.waiting) return { sealed: 0, more: false }
    return this.#clientPool.transaction((client) => this.#sealIn(client, most))
  }

  async #sealIn(client: pg.Client, most: number) {
    const [lock] = await this.#database.runOn(client, trySealing())
    if (!lock?.locked) return { sealed: 0, more: false }
    // A separate statement, so that its snapshot is taken after the lock.
    const waiting = await this.#database.runOn(client, listUnsealed(most))
    if (waiting.length === 0) return { sealed: 0, more: false }
    const chains = [...new Set(waiting.map(({ chain }) => chain))]
    const heads = await this.#database.runOn(client, findHeads(int4Array(chains)))
    const ends: Ends = new Map(heads.map(({ chain, ...head }) => [chain, head]))
    const seals = waiting.map((row) => append(ends, row))
    await this.#write(client, seals, ends)
    return { sealed: seals.length, more: waiting.length === most }
  }

  async #write(client: pg.Client, seals: readonly Seal[], ends: Ends): Promise<void> {
    const call = insertSeals(
      int4Array(seals.map(({ chain }) => chain)),
      int8ArrayOfNumbers(seals.map(({ seq }) => seq)),
      uuidArray(seals.map(({ entryId }) => entryId)),
      textArray(seals.map(({ content }) => content)),
      textArray(seals.map(({ hash }) => hash)),
    )
    const sealed = await this.#database.runOn(client, call)
    invariant(sealed.length === seals.length, 'another session sealed the waiting entries')
    const heads = [...ends]
    const advance = advanceHeads(
      int4Array(heads.map(([chain]) => chain)),
      int8ArrayOfNumbers(heads.map(([, { seq }]) => seq)),
      textArray(heads.map(([, { hash }]) => hash)),
    )
    await this.#database.runOn(client, advance)
  }
}

function append(ends: Ends, { chain, ...entry }: ListUnsealedRow): Seal {
  const end = ends.get(chain) ?? { seq: 0, hash: NO_HASH }
  const seq = end.seq + 1
  const content = contentOf(entry)
  const hash = linkOf(end.hash, seq, content)
  ends.set(chain, { seq, hash })
  return { chain, seq, entryId: entry.id, content, hash }
}
