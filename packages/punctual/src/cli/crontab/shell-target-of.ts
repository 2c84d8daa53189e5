/** The shell target that performs a line of a crontab as cron does. */
import type { ShellTarget } from '@punctual/core/target'
import { isReservedVariable } from '@punctual/core/target'
import type { CrontabEntry } from './read-crontab.ts'

/** cron tries once, and lets a command take its time; a day ends one that hangs. */
export const unlimited = { maxAttempts: 1, timeoutMs: 86_400_000 } as const

const SHELL = '/bin/sh'

export function shellTargetOf({ command, env, stdin }: CrontabEntry): ShellTarget {
  const { SHELL: shell = SHELL, HOME: home, ...given } = env
  const variables = Object.entries(given).filter(([name]) => !isReservedVariable(name))
  const all = { ...Object.fromEntries(variables), ...(home !== undefined && { HOME: home }) }
  return {
    kind: 'shell',
    shell: true,
    command: shell === SHELL ? command : `exec ${quoted(shell)} -c ${quoted(command)}`,
    ...(Object.keys(all).length > 0 && { env: all }),
    // cron starts commands in the directory of the user, where the crontab says which that is.
    ...(home?.startsWith('/') && { cwd: home }),
    // cron's commands read nothing, and not the payload.
    input: stdin ?? '',
  }
}

/** A text that a shell takes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
