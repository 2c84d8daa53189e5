/**
 * Makes a batch that repeats a key equal to its submissions one after another. Consecutive
 * submissions of a key that ask for the same are handled at once: among those that return the
 * existing run the first decides; among those that change it, the last.
 */
import { invariant, PunctualError } from '@punctual/core/errors'
import type { KeyConflict, SubmitOutcome } from '@punctual/core/submit'
import type { Prepared } from './prepared.ts'

/** Consecutive submissions of one key that ask for the same. */
export interface KeyGroup {
  readonly key: string
  readonly runs: readonly Prepared[]
  /** The submission that decides, under the id of the first. */
  readonly by: Prepared
}

export function changes(conflict: KeyConflict | null): boolean {
  return conflict?.mode === 'replace' || conflict?.mode === 'debounce'
}

/** The outcome of a submission that finds a run of its key. */
export function outcomeAfter(run: Prepared): SubmitOutcome {
  return changes(run.submission.options.conflict) ? 'replaced' : 'existing'
}

/** Returns rounds, in each of which every key appears at most once. */
export function keyRounds(runs: readonly Prepared[]): KeyGroup[][] {
  const groupsOf = new Map<string, Prepared[][]>()
  for (const run of runs) {
    const { key, conflict } = run.submission.options
    if (key === null) continue
    const groups = groupsOf.get(key)
    const last = groups?.at(-1)
    if (!groups || !last) groupsOf.set(key, [[run]])
    else if (conflict?.mode === 'error') refuseTwin(key)
    else if (last[0] && isSame(last[0], run)) last.push(run)
    else groups.push([run])
  }
  const rounds: KeyGroup[][] = []
  for (const [key, groups] of groupsOf)
    for (const [n, group] of groups.entries()) {
      rounds[n] ??= []
      rounds[n].push({ key, runs: group, by: deciding(group) })
    }
  return rounds
}

function deciding(group: readonly Prepared[]): Prepared {
  const [first] = group
  const last = group.at(-1)
  invariant(first && last, 'a group has runs')
  return changes(first.submission.options.conflict) ? { ...last, id: first.id } : first
}

function isSame(a: Prepared, b: Prepared): boolean {
  const [one, other] = [a.submission.options.conflict, b.submission.options.conflict]
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function refuseTwin(key: string): never {
  throw new PunctualError(
    'key_conflict',
    `The key ${JSON.stringify(key)} appears twice in this batch, and onConflict is "error".`,
    { field: 'key' },
  )
}
