/**
 * The meaning of each exit code. docs/reference/cli.md repeats this table, and a test keeps the two
 * equal.
 */
export const exitCodes = {
  ok: { code: 0, meaning: 'Success.' },
  failure: {
    code: 1,
    meaning: 'Failure, or `doctor`, `verify` or `audit verify` found a problem.',
  },
  usage: { code: 2, meaning: 'Invalid command line, configuration or input.' },
  database: { code: 3, meaning: 'The database cannot be reached or used.' },
  notFound: {
    code: 4,
    meaning: 'The run, job, slot, calendar, handler, worker or file does not exist.',
  },
  notSucceeded: { code: 5, meaning: 'With `--wait`: the run ended without success.' },
  interrupted: { code: 130, meaning: 'Interrupted by Ctrl-C or a signal before completion.' },
} as const

export type ExitName = keyof typeof exitCodes
export type ExitCode = (typeof exitCodes)[ExitName]['code']

export const exit = Object.fromEntries(
  Object.entries(exitCodes).map(([name, { code }]) => [name, code]),
) as { readonly [Name in ExitName]: (typeof exitCodes)[Name]['code'] }
