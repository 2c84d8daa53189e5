/**
 * Recomputes the hashes of the audit log and reports the first entry that is not as it was sealed.
 * It only reads, one page at a time, alongside all other work: sealed entries do not change, so
 * pages need no common snapshot.
 *
 * A user who may write to every table can rebuild a whole chain. Only a head that was saved
 * elsewhere (`expect`) reveals that: a chain only grows, so an earlier head must still be in it.
 */
import type { AuditFault, AuditHead, VerifiedChain } from '@punctual/core/audit'
import type { Database } from '../connection/database.ts'
import { contentOf, headOf, linkOf, NO_HASH } from './entry-hash.ts'
import {
  type FindStraysRow,
  findStrays,
  type ListHeadsRow,
  type ListSealedRow,
  listHeads,
  listSealed,
} from './statements.gen.ts'

const PAGE = 1_000

/** A head that a chain must have, or must have had. */
export interface ExpectedHead extends AuditHead {
  /** The tenant; 0 is the installation. */
  readonly chain: number
}

interface Chain {
  readonly chain: number
  readonly head: AuditHead | null
  readonly lastSeq: number
  readonly unsealed: number
}

export class Verifying {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Verifies one chain, or with null all of them. */
  async verify(
    chain: number | null,
    expect: readonly ExpectedHead[] = [],
  ): Promise<VerifiedChain[]> {
    const chains = (await this.#database.control.run(listHeads(chain))).map(toChain)
    const strays = await this.#strays(chain)
    const expected = expect.filter((head) => chain === null || head.chain === chain)
    const named = [...strays.keys(), ...expected.map((head) => head.chain)]
    for (const missing of new Set(named))
      if (!chains.some((known) => known.chain === missing))
        chains.push({ chain: missing, head: null, lastSeq: 0, unsealed: 0 })
    const found: VerifiedChain[] = []
    for (const listed of chains.sort((a, b) => a.chain - b.chain)) {
      const walk = new Walk(expected.filter((head) => head.chain === listed.chain))
      const fault = (await this.#walk(listed, walk)) ?? strayFault(strays.get(listed.chain))
      const tenantId = listed.chain === 0 ? null : listed.chain
      found.push({
        tenantId,
        sealed: walk.seq,
        unsealed: listed.unsealed,
        head: listed.head,
        fault,
      })
    }
    return found
  }

  async #strays(chain: number | null): Promise<Map<number, FindStraysRow>> {
    const strays = await this.#database.control.run(findStrays(chain))
    return new Map(strays.map((stray) => [stray.chain, stray]))
  }

  async #walk({ chain, head, lastSeq }: Chain, walk: Walk): Promise<AuditFault | null> {
    const until = Math.max(lastSeq, head?.seq ?? 0)
    for (;;) {
      const rows = await this.#database.control.run(listSealed(chain, walk.seq, until, PAGE))
      for (const row of rows) {
        const fault = walk.step(row)
        if (fault) return fault
      }
      if (rows.length < PAGE) return walk.end(head)
    }
  }
}

/** Walks along one chain and compares each entry with its seal. */
class Walk {
  readonly #expected: readonly AuditHead[]
  /** The last place that matches its seal. */
  seq = 0
  #hash = NO_HASH

  constructor(expected: readonly AuditHead[]) {
    this.#expected = expected
  }

  step({ seq, entryId, content, hash, ...entry }: ListSealedRow): AuditFault | null {
    const next = this.seq + 1
    const position = { seq: next, entryId }
    if (seq !== next)
      return fault('removed', { seq: next, entryId: null }, `the seal at place ${next} is missing`)
    if (entry.id === null)
      return fault('removed', position, `entry ${entryId} at place ${next} was removed`)
    if (contentOf(entry) !== content)
      return fault('changed', position, `entry ${entryId} at place ${next} was changed`)
    if (linkOf(this.#hash, next, content) !== hash) {
      const what = `the seal at place ${next} is not the one that was made there`
      return fault('broken', position, `${what}: seals were swapped, inserted or rewritten`)
    }
    const kept = this.#expected.find((head) => head.seq === next)
    if (kept && kept.hash.toLowerCase() !== hash)
      return fault('unexpected_head', position, `place ${next} has the hash ${hash}`)
    this.seq = next
    this.#hash = hash
    return null
  }

  end(head: AuditHead | null): AuditFault | null {
    const beyond = { seq: this.seq + 1, entryId: null }
    if (head && head.seq > this.seq)
      return fault('removed', beyond, `places ${this.seq + 1} to ${head.seq} were removed`)
    if (this.seq > 0 && (head === null || head.seq !== this.seq || head.hash !== this.#hash))
      return fault('broken', beyond, `the recorded head is not the end of the chain`)
    const kept = this.#expected.find(({ seq }) => seq > this.seq)
    if (kept) return fault('unexpected_head', beyond, `the chain ends before place ${kept.seq}`)
    return null
  }
}

type Position = Pick<AuditFault, 'seq' | 'entryId'>

function fault(kind: AuditFault['kind'], { seq, entryId }: Position, message: string): AuditFault {
  return { kind, seq, entryId, message }
}

function strayFault(stray: FindStraysRow | undefined): AuditFault | null {
  if (!stray) return null
  const { kind, entries: count, first } = stray
  const what = kind === 'added' ? 'which no writer recorded' : 'which waited for a seal'
  const was = count === 1 ? 'was' : `and ${count - 1} more were`
  const verb = kind === 'added' ? 'inserted' : 'removed'
  return fault(kind, { seq: null, entryId: first }, `entry ${first}, ${what}, ${was} ${verb}`)
}

function toChain(row: ListHeadsRow): Chain {
  return { chain: row.chain, head: headOf(row), lastSeq: row.last, unsealed: row.waiting }
}
