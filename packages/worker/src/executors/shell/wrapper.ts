/**
 * The first process of a command: a shell that sets limits, starts the command and returns its exit
 * code. In a process namespace it also collects the orphans. `env` looks the program up, so that a
 * name never means a built-in command of the shell. What the shell itself reports, such as
 * "Terminated", is not the command's.
 */
export interface WrapperLimits {
  readonly umask: string
  readonly fileMb: number | undefined
  /** Null where the limit would count processes that are not the command's. */
  readonly processes: number | null
}

/** A block of `ulimit -f` is 512 bytes. */
const BLOCKS_PER_MB = 2_048
const OPEN_FILES = 1_024

const SCRIPT = `umask "$1"
ulimit -c 0
ulimit -n ${OPEN_FILES} 2>/dev/null
[ -z "$2" ] || ulimit -f "$2"
[ -z "$3" ] || ulimit -p "$3" 2>/dev/null || ulimit -u "$3"
shift 3
exec 4>&2 2>/dev/null
( exec 2>&4 4>&-; exec env -- "$@" )
exit $?`

export function wrapped(command: readonly string[], limits: WrapperLimits): string[] {
  const { umask, fileMb, processes } = limits
  const blocks = fileMb === undefined ? '' : String(fileMb * BLOCKS_PER_MB)
  return ['/bin/sh', '-c', SCRIPT, 'punctual', umask, blocks, String(processes ?? ''), ...command]
}
