/**
 * The scripts for the other host. The client's arguments hold no more than the first line, because all
 * users of that host can see them; variables, command and payload follow on its standard input.
 * That input stays open while the command may run: its end, also when the worker was killed or the
 * network failed, ends the command.
 */

/** Written to stderr when nothing has been started yet, and when the command has ended. */
export interface ControlLines {
  readonly ready: string
  readonly ended: RegExp
}

export function controlLines(mark: string): ControlLines {
  return { ready: `punctual ${mark} ready`, ended: new RegExp(`^punctual ${mark} ended (\\d+)$`) }
}

/** The last line of a script: one that was cut off is not run. */
const COMPLETE = '# complete'

/** Reads the script byte by byte, so that nothing of what follows is lost. */
const FIRST = `echo "punctual $1 ready" >&2
script=$(dd bs=1 count="$2" 2>/dev/null)
case $script in *"${COMPLETE}") eval "$script" ;; esac`

/** The command line for the client: a fixed text with two plain words. */
export function firstCommand(mark: string, script: string): string {
  return `exec /bin/sh -c ${quoted(FIRST)} punctual ${mark} ${Buffer.byteLength(script)}`
}

export interface RemoteCommand {
  readonly mark: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  /** The bytes that follow the script. */
  readonly inputBytes: number
}

/**
 * Ends the session of the command, then what left the session but kept its environment. A host
 * without `setsid` or /proc ends the first process only.
 */
const FINISH = `finish() {
  kill -TERM -- "-$pid" 2>/dev/null || kill -TERM "$pid" 2>/dev/null
  [ "$1" = now ] || sleep 0.3 2>/dev/null || sleep 1
  kill -KILL -- "-$pid" 2>/dev/null || kill -KILL "$pid" 2>/dev/null
  for round in 1 2 3 4 5; do
    for file in $(grep -ls "PUNCTUAL_COMMAND=$mark" /proc/[0-9]*/environ 2>/dev/null); do
      id=\${file#/proc/}
      kill -KILL "\${id%/environ}" 2>/dev/null
    done
  done
}`

export function remoteScript(remote: RemoteCommand): string {
  const { mark, command, env, cwd, inputBytes } = remote
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
  const exports = [`PUNCTUAL_COMMAND=${mark}`, ...variables].join(' ')
  return `mark=${mark}
${FINISH}
umask 077
input=$(mktemp) || exit 126
head -c ${inputBytes} > "$input"
[ "$(wc -c < "$input")" -eq ${inputBytes} ] || { rm -f "$input"; exit 126; }
exec 3<&0 4<"$input"
rm -f "$input"
${cwd === undefined ? '' : `cd -- ${quoted(cwd)} || { echo "punctual $mark ended 126" >&2; exit 126; }`}
( export ${exports}; exec $(command -v setsid) env -- ${command.map(quoted).join(' ')} ) <&4 3<&- 4<&- &
pid=$!
exec 4<&-
( while read -r line; do :; done; finish ) <&3 >/dev/null 2>&1 &
watch=$!
wait "$pid"
code=$?
kill "$watch" 2>/dev/null
finish now >/dev/null 2>&1
printf '\\npunctual %s ended %s\\n' "$mark" "$code" >&2
exit "$code"
${COMPLETE}`
}

/** A text that a shell takes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
