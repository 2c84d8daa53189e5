/** The two forms of the claim, and the names of the columns that they answer, in their order. */
import type { Row } from '../connection/channel.ts'

export interface ClaimForm<Name extends string> {
  readonly path: string
  readonly columns: readonly Name[]
}

const ANSWER = [
  'xmin',
  'xmax',
  'bound',
  'givenLanes',
  'givenRuns',
  'givenLastPos',
  'givenShares',
  'runIds',
  'lanes',
  'marks',
  'ids',
  'timeoutsMs',
  'maxAttempts',
  'duesMs',
  'payloads',
  'extras',
] as const

export const claimRuns = {
  path: 'work/claim-runs',
  columns: ['controlled', 'unseen', 'nextPos', ...ANSWER],
} as const

export const claimControlledRuns = {
  path: 'work/claim-controlled-runs',
  columns: [
    'nextPos',
    'unseen',
    'controlled',
    'limited',
    'parked',
    'postponed',
    'gates',
    ...ANSWER,
  ],
} as const

export function named<Name extends string>(
  columns: readonly Name[],
  row: Row,
): Record<Name, string | null> {
  return Object.fromEntries(columns.map((name, i) => [name, row[i] ?? null])) as Record<
    Name,
    string | null
  >
}
