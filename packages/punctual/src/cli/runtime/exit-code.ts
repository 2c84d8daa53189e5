/** What the exit code of a command says. docs/reference/cli.md repeats this table, and a test holds them equal. */
export const exitCodes = {
  ok: { code: 0, meaning: 'It worked.' },
  failure: {
    code: 1,
    meaning: 'It failed, or `doctor` or `verify` found something that must be mended.',
  },
  usage: { code: 2, meaning: 'The command line, the configuration or the input is wrong.' },
  database: { code: 3, meaning: 'The database cannot be reached or used.' },
  notFound: {
    code: 4,
    meaning: 'There is no such run, job, slot, calendar, handler, worker or file.',
  },
  notSucceeded: { code: 5, meaning: 'With `--wait`: the run ended, but not in success.' },
  interrupted: { code: 130, meaning: 'Ctrl-C, or a signal, ended the command before it was done.' },
} as const

export type ExitName = keyof typeof exitCodes
export type ExitCode = (typeof exitCodes)[ExitName]['code']

export const exit = Object.fromEntries(
  Object.entries(exitCodes).map(([name, { code }]) => [name, code]),
) as { readonly [Name in ExitName]: (typeof exitCodes)[Name]['code'] }
