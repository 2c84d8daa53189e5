/**
 * The fifteen invariants of the protocol, checked in a real database by one statement. Some are
 * about time (a final state stays, an old fence is never accepted), so a witness has to have
 * watched: triggers that only record what happened. Model tests check after every step; a fault
 * campaign may check at any time.
 */
import { readFileSync } from 'node:fs'

/** The statement refers to the invariants by these numbers. */
export const invariants = {
  I1: 'a slot has one decision and at most one run',
  I2: 'one outcome is accepted for a run, and one for each of its attempts',
  I3: 'an accepted outcome names the current lease',
  I4: 'attempt numbers rise by one, and no fence repeats',
  I5: 'a final state never changes',
  I6: 'cursors never move back over decided slots, and no slot below a cursor is undecided',
  I7: 'the consequences of an end exist exactly when the end requires them',
  I8: 'a running run holds a lease of an existing session',
  I9: 'a fenced session is never accepted again',
  I10: 'every run exists in exactly one place',
  I11: 'every row of a run or a job has its tenant',
  I12: 'attempts and crashes are bounded',
  I13: 'a slot or run that did not execute records why',
  I14: 'an at-most-once run starts at most once',
  I15: 'an ended run holds nothing, and a live run holds its key and its job',
} as const

export type Invariant = keyof typeof invariants

export interface Violation {
  readonly invariant: Invariant
  /** The run, job or session that violates the invariant. */
  readonly subject: string
  readonly detail: string
}

/** The part of a `pg` client that is needed. */
export interface InvariantClient {
  query(query: string | { name: string; text: string; values: unknown[] }): Promise<{
    rows: unknown[]
  }>
}

const statement = (name: string) =>
  readFileSync(new URL(`../../queries/${name}.sql`, import.meta.url), 'utf8')

const check = statement('check-invariants')
const install = statement('install-witness')

/**
 * Installs the witness triggers. Call it once per database, before any activity, as the owner of
 * the tables.
 */
export async function installWitness(client: InvariantClient): Promise<void> {
  await client.query(install)
}

/** Returns the current violations, at most `limit`. The witness must be installed. */
export async function checkInvariants(client: InvariantClient, limit = 20): Promise<Violation[]> {
  const query = { name: 'check-invariants', text: check, values: [limit] }
  const { rows } = await client.query(query)
  return rows as Violation[]
}
