/**
 * The fifteen invariants of the protocol, asked of a real database in one statement. Some of them are about time
 * (what is final stays, a fence is never believed again), so a witness has to have watched: triggers that only
 * write down what happened. Tests of the model ask after every step; a fault campaign asks whenever it likes.
 */
import { readFileSync } from 'node:fs'

/** What each of them says. The statement names them by these numbers. */
export const invariants = {
  I1: 'a slot has one decision, and one run at most',
  I2: 'one outcome of a run is accepted, and one of each of its attempts',
  I3: 'what is accepted names the lease of now',
  I4: 'attempts are counted up one by one, and no fence comes twice',
  I5: 'what is final stays',
  I6: 'cursors do not go back over what has passed, and nothing below them is undecided',
  I7: 'what follows from an end is there exactly when the end says so',
  I8: 'who runs holds a lease of a session that exists',
  I9: 'a session that was fenced is not believed any more',
  I10: 'every run that was made is in exactly one place',
  I11: 'whatever belongs to a run or a job has its tenant',
  I12: 'tries are bounded, and so are crashes',
  I13: 'what did not run says why',
  I14: 'what may run once at most was started once at most',
  I15: 'what has ended holds nothing, and what lives holds its key and its job',
} as const

export type Invariant = keyof typeof invariants

export interface Violation {
  readonly invariant: Invariant
  /** The run, job or session that breaks it. */
  readonly subject: string
  readonly detail: string
}

/** As much of a client of `pg` as is needed. */
export interface InvariantClient {
  query(query: string | { name: string; text: string; values: unknown[] }): Promise<{
    rows: unknown[]
  }>
}

const statement = (name: string) =>
  readFileSync(new URL(`../../queries/${name}.sql`, import.meta.url), 'utf8')

const check = statement('check-invariants')
const install = statement('install-witness')

/** Makes the witness watch. Once for a database, before anything happens in it, by the owner of the tables. */
export async function installWitness(client: InvariantClient): Promise<void> {
  await client.query(install)
}

/** What is broken now; nothing when all is well. The witness must have been installed. */
export async function checkInvariants(client: InvariantClient, limit = 20): Promise<Violation[]> {
  const query = { name: 'check-invariants', text: check, values: [limit] }
  const { rows } = await client.query(query)
  return rows as Violation[]
}
