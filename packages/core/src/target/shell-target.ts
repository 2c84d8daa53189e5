/** A program on the worker's machine as the target of a run. */
import { checkText } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { checkedBy, onOrOff } from '../option/kinds.ts'
import type { Kind, OptionTable } from '../option/option.ts'
import type { TargetKind } from './target-kind.ts'
import { checkTemplate, template, templates } from './target-kinds.ts'

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
  /** The working directory. @default a directory of the run */
  readonly cwd?: string
}

const ARGUMENTS = 256

const command: Kind<string | readonly string[]> = checkedBy(
  { type: 'list', max: ARGUMENTS, of: 'arguments', length: limits.targetTextLength },
  (field, value) => {
    if (typeof value === 'string' && value !== '')
      return checkTemplate(field, value, limits.targetTextLength)
    if (!Array.isArray(value) || value.length === 0 || value.length > ARGUMENTS)
      return refuseOption(field, `a list of 1 to ${ARGUMENTS} arguments`, value)
    checkText(`${field}[0]`, value[0], limits.targetTextLength)
    return value.map((argument: unknown, i) =>
      checkTemplate(`${field}[${i}]`, argument, limits.targetTextLength),
    )
  },
)

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
    kind: templates((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name), 'a name such as PGHOST'),
    help: 'an environment variable of the command',
    guide: 'environment variables',
    flag: '--shell-env <name=value...>',
  },
  cwd: { kind: template(4_096), help: 'the working directory', flag: '--shell-cwd <path>' },
} as const satisfies OptionTable

export const shellTarget: TargetKind<ShellTarget, typeof members> = {
  kind: 'shell',
  help: 'starts a program on the machine of the worker',
  members,
  check: (field, { command: given, shell = false }) => {
    if (shell !== (typeof given === 'string'))
      refuseOption(
        `${field}.command`,
        shell ? 'one text when shell is true' : 'a list of arguments unless shell is true',
        given,
      )
  },
}
