/** Records changes of dead letters. */
import type { OpenTransaction } from '@punctual/store'
import type { Recorded, WriteScope } from '../audit/control-writes.ts'

const DEAD_LETTERS = { kind: 'dead_letters', id: null, name: null }

/** Records a change of one dead letter, unless the entry is null. */
export function recordDeadLetter<T>(
  { store, writes, tenantId }: WriteScope,
  id: string,
  change: (transaction: OpenTransaction | null) => Promise<T>,
  entryOf: (result: T) => Omit<Recorded, 'target'> | null,
): Promise<T> {
  return writes.record(tenantId, async ({ transaction = null }) => {
    const [found] = await store.deadLetters.find([id], tenantId)
    const result = await change(transaction)
    const entry = entryOf(result)
    const target = { kind: 'dead_letter', id, name: found ? found.handler : null }
    return { result, entries: entry ? [{ target, ...entry }] : [] }
  })
}

/** The change of many dead letters as the caller requested it, and what its result says. */
export interface DeadLettersRequest<T> {
  readonly action: 'dead_letter.replay_many' | 'dead_letter.discard_many'
  readonly request: object
  readonly note: string | undefined
  summarise(result: T): unknown
}

/** Records a change of many dead letters before it begins and at its end. */
export function recordDeadLetters<T>(
  { writes, tenantId }: WriteScope,
  entry: DeadLettersRequest<T>,
  work: () => Promise<T>,
): Promise<T> {
  const { action, request, note, summarise } = entry
  return writes.recordMany(
    tenantId,
    { action, target: DEAD_LETTERS, request, note, summarise },
    work,
  )
}
