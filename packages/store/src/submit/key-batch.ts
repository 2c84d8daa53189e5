/**
 * A batch in which the same key stands several times comes to the same as its submissions one after the other. What
 * follows on each other and asks for the same is done at once: of those that are answered with the run that is there,
 * the first decides; of those that change it, the last one has the last word.
 */
import { PunctualError } from '@punctual/core/errors'
import type { KeyConflict, SubmitOutcome } from '@punctual/core/submit'
import type { Prepared } from './submitter.ts'

/** Submissions of one key that follow on each other and ask for the same. */
export interface KeyGroup {
  readonly key: string
  readonly runs: readonly Prepared[]
  /** What is done: what the one that decides says, under the id of the first. */
  readonly by: Prepared
}

export function changes(conflict: KeyConflict | null): boolean {
  return conflict?.mode === 'replace' || conflict?.mode === 'debounce'
}

/** Of a submission that finds a run of its key. */
export function outcomeAfter(run: Prepared): SubmitOutcome {
  return changes(run.submission.options.conflict) ? 'replaced' : 'existing'
}

/** In each round every key stands once at most. */
export function keyRounds(runs: readonly Prepared[]): KeyGroup[][] {
  const groupsOf = new Map<string, Prepared[][]>()
  for (const run of runs) {
    const { key, conflict } = run.submission.options
    if (key === null) continue
    const groups = groupsOf.get(key)
    const last = groups?.at(-1)
    if (!groups || !last) groupsOf.set(key, [[run]])
    else if (conflict?.mode === 'error') refuseTwin(key)
    else if (isSame(last[0] as Prepared, run)) last.push(run)
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
  const first = group[0] as Prepared
  if (!changes(first.submission.options.conflict)) return first
  return { ...(group.at(-1) as Prepared), id: first.id }
}

function isSame(a: Prepared, b: Prepared): boolean {
  const [one, other] = [a.submission.options.conflict, b.submission.options.conflict]
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function refuseTwin(key: string): never {
  throw new PunctualError(
    'key_conflict',
    `The key ${JSON.stringify(key)} stands in the same batch before, and was to be an error then.`,
    { field: 'key' },
  )
}
