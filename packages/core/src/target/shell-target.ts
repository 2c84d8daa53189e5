/** A program on the worker's machine as the target of a run. */
import { checkText } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { checkedBy, integer, onOrOff, text } from '../option/kinds.ts'
import type { Kind, OptionTable } from '../option/option.ts'
import { exitCodes, isReservedVariable } from './shell-values.ts'
import type { TargetKind } from './target-kind.ts'
import { checkLiteral, checkTemplate, template, templates } from './target-kinds.ts'

/** A program that the worker starts. Texts may have placeholders such as `{{payload.id}}`. */
export interface ShellTarget {
  /** Starts a program. */
  readonly kind: 'shell'
  /** The program and its arguments; with `shell`, one text that `/bin/sh` interprets. */
  readonly command: string | readonly string[]
  /** Whether `/bin/sh` interprets the command. @default false */
  readonly shell?: boolean
  /** Environment variables. @default those of the run, and PATH */
  readonly env?: Readonly<Record<string, string>>
  /** An absolute path: the working directory. @default an empty directory of the attempt */
  readonly cwd?: string
  /** The text that the command reads from its standard input. @default the payload, as JSON */
  readonly input?: string
  /** The permissions that new files do not get, in octal. @default '077' */
  readonly umask?: string
  /** Exit codes and ranges after which the run is not retried. @default '126,127' */
  readonly noRetryCodes?: string
  /** How much of stdout and stderr the log gets, in bytes; the rest is cut. @default 1048576 */
  readonly outputBytes?: number
  /** The memory that all processes of the command may use, in MiB. @default 1024 */
  readonly memoryMb?: number
  /** The size of each file that the command writes, in MiB. @default no limit */
  readonly fileMb?: number
  /** How many processes the command may have at the same time. @default 256 */
  readonly processes?: number
  /** Whether the command can reach the network. @default true */
  readonly network?: boolean
}

const ARGUMENTS = 256
const PLACEHOLDER = /^\s*(?:payload|secret|run|job|tenant)\b[^{}]*\}\}/

const command: Kind<string | readonly string[]> = checkedBy(
  { type: 'list', max: ARGUMENTS, of: 'arguments', length: limits.targetTextLength },
  (field, value) => {
    if (typeof value === 'string' && value !== '')
      return checkLiteral(field, value, limits.targetTextLength)
    if (!Array.isArray(value) || value.length === 0 || value.length > ARGUMENTS)
      return refuseOption(field, `a list of 1 to ${ARGUMENTS} arguments`, value)
    checkText(`${field}[0]`, value[0], limits.targetTextLength)
    return value.map((argument: unknown, i) =>
      checkTemplate(`${field}[${i}]`, argument, limits.targetTextLength),
    )
  },
)

const umask: Kind<string> = checkedBy({ type: 'text', max: 4 }, (field, value) => {
  const given = text(4).check(field, value)
  return /^0?[0-7]{3}$/.test(given) ? given : refuseOption(field, 'three octal digits', value)
})

const isOwnVariable = (name: string) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isReservedVariable(name)

const members = {
  command: {
    kind: command,
    required: true,
    help: 'the program and its arguments',
    guide: 'the program and its arguments; with `shell`, one text',
    flag: '--shell <command>',
    flagHelp: 'run this command with /bin/sh',
  },
  shell: {
    kind: onOrOff,
    default: false,
    help: 'whether /bin/sh interprets the command',
    flag: null,
  },
  env: {
    kind: templates(isOwnVariable, 'a name such as PGHOST that Punctual does not set itself'),
    help: 'an environment variable of the command',
    guide: 'environment variables',
    flag: '--shell-env <name=value...>',
  },
  cwd: {
    kind: template(4_096),
    defaultShown: 'an empty directory of the attempt',
    help: 'the working directory',
    guide: 'the working directory: an absolute path without `..`',
    flag: '--shell-cwd <path>',
  },
  input: {
    kind: checkedBy({ type: 'text', max: limits.targetTextLength }, (field, value) =>
      checkTemplate(field, value, limits.targetTextLength),
    ),
    defaultShown: 'the payload, as JSON',
    help: 'what it reads from its standard input',
    flag: '--shell-input <text>',
  },
  umask: {
    kind: umask,
    default: '077',
    help: 'the permissions that new files do not get, in octal',
    flag: '--shell-umask <octal>',
  },
  noRetryCodes: {
    kind: exitCodes,
    default: '126,127',
    help: 'exit codes after which the run is not retried',
    guide: 'exit codes and ranges after which the run is not retried, such as `2,64-78`',
    flag: '--shell-no-retry <codes>',
  },
  outputBytes: {
    kind: integer(0, limits.logBytesPerRun),
    default: 1_048_576,
    help: 'how much of the output the log gets',
    guide: 'how much of stdout and stderr the log gets, in bytes; the rest is cut',
    flag: '--shell-output-bytes <n>',
  },
  memoryMb: {
    kind: integer(1, 16_777_216),
    default: 1_024,
    help: 'the memory of all its processes, in MiB',
    flag: '--shell-memory-mb <n>',
  },
  fileMb: {
    kind: integer(1, 16_777_216),
    help: 'the size of each file that it writes, in MiB',
    flag: '--shell-file-mb <n>',
  },
  processes: {
    kind: integer(1, 32_768),
    default: 256,
    help: 'how many processes it may have',
    flag: '--shell-processes <n>',
  },
  network: {
    kind: onOrOff,
    default: true,
    help: 'whether it can reach the network',
    flag: null,
  },
} as const satisfies OptionTable

export const shellTarget: TargetKind<ShellTarget, typeof members> = {
  kind: 'shell',
  help: 'starts a program on the machine of the worker',
  members,
  check: (field, { command: given, shell = false, cwd }) => {
    if (shell !== (typeof given === 'string'))
      refuseOption(
        `${field}.command`,
        shell ? 'one text when shell is true' : 'a list of arguments unless shell is true',
        given,
      )
    if (typeof given === 'string') checkScript(`${field}.command`, given)
    else checkProgram(`${field}.command[0]`, given[0])
    if (cwd !== undefined && !cwd.startsWith('/')) refuseOption(`${field}.cwd`, 'absolute', cwd)
  },
}

/**
 * A payload inside a script could end its quotes and add commands. Braces that are no placeholder
 * belong to the script, as in `docker ps --format '{{.Names}}'`.
 */
function checkScript(field: string, script: string): void {
  if (script.split('{{').some((part) => PLACEHOLDER.test(part)))
    refuseOption(
      field,
      'free of placeholders when shell is true: name them in env, and write "$NAME"',
      script,
    )
}

/** The program that looks commands up would take such a name as an option or a variable. */
function checkProgram(field: string, program: string | undefined): void {
  if (program?.startsWith('-') || program?.includes('='))
    refuseOption(field, 'a program that has no = and does not begin with -', program)
}
