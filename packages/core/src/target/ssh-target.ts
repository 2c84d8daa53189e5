/** A command on another host as the target of a run. */
import { checkText } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { checkedBy, duration, integer, text } from '../option/kinds.ts'
import type { Kind, OptionTable } from '../option/option.ts'
import { exitCodes, isReservedVariable } from './shell-values.ts'
import type { TargetKind } from './target-kind.ts'
import { checkTemplate, template, templates } from './target-kinds.ts'

/** A command that the worker starts on another host. Texts may have placeholders. */
export interface SshTarget {
  /** Starts a command on another host. */
  readonly kind: 'ssh'
  /** The name or address of the host, without placeholders. */
  readonly host: string
  /** The user on the host. */
  readonly user: string
  /** The program and its arguments; no shell interprets them. */
  readonly command: readonly string[]
  /** The name of the secret with the private key, without a passphrase. */
  readonly key: string
  /** Lines of a `known_hosts` file, as `ssh-keyscan` prints them: the keys that the host may have. */
  readonly knownHosts: string
  /** The port. @default 22 */
  readonly port?: number
  /** Environment variables. @default those of the run */
  readonly env?: Readonly<Record<string, string>>
  /** An absolute path on the host. @default the directory of the user */
  readonly cwd?: string
  /** How long the connection may take. @default 10000 */
  readonly connectTimeoutMs?: number
  /** Exit codes and ranges after which the run is not retried. @default '126,127' */
  readonly noRetryCodes?: string
  /** How much of stdout and stderr the log gets, in bytes; the rest is cut. @default 1048576 */
  readonly outputBytes?: number
}

const ARGUMENTS = 256

const command: Kind<readonly string[]> = checkedBy(
  { type: 'list', max: ARGUMENTS, of: 'arguments', length: limits.targetTextLength },
  (field, value) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > ARGUMENTS)
      return refuseOption(field, `a list of 1 to ${ARGUMENTS} arguments`, value)
    checkText(`${field}[0]`, value[0], limits.targetTextLength)
    return value.map((argument: unknown, i) =>
      checkTemplate(`${field}[${i}]`, argument, limits.targetTextLength),
    )
  },
)

/** A word that begins with a hyphen would be an option of the client. */
function word(pattern: RegExp, max: number, expected: string): Kind<string> {
  return checkedBy({ type: 'text', max }, (field, value) => {
    const given = text(max).check(field, value)
    return pattern.test(given) ? given : refuseOption(field, expected, value)
  })
}

const host = word(/^[A-Za-z0-9:][A-Za-z0-9.:_-]*$/, 255, 'the name or address of a host')
const user = word(/^[A-Za-z0-9_][A-Za-z0-9._-]*$/, 64, 'the name of a user')

const knownHosts: Kind<string> = checkedBy({ type: 'text', max: 16_384 }, (field, value) => {
  if (typeof value !== 'string' || value.length > 16_384 || !/^(?!#)\S+ +\S+ +\S+/m.test(value))
    return refuseOption(field, 'lines of a known_hosts file, as ssh-keyscan prints them', value)
  return value
})

const isOwnVariable = (name: string) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isReservedVariable(name)

const members = {
  host: { kind: host, required: true, help: 'run a command on this host', flag: '--ssh <host>' },
  user: { kind: user, required: true, help: 'the user on the host', flag: '--ssh-user <name>' },
  command: {
    kind: command,
    required: true,
    help: 'the program and its arguments',
    flag: null,
  },
  key: {
    kind: text(limits.nameLength),
    required: true,
    help: 'the secret with the private key',
    guide: 'the name of the secret with the private key, which has no passphrase',
    flag: '--ssh-key <secret>',
  },
  knownHosts: {
    kind: knownHosts,
    required: true,
    help: 'the keys of the host, as ssh-keyscan prints them',
    guide: 'lines of a `known_hosts` file: the keys that the host may have',
    flag: null,
  },
  port: { kind: integer(1, 65_535), default: 22, help: 'the port', flag: '--ssh-port <n>' },
  env: {
    kind: templates(isOwnVariable, 'a name such as PGHOST that Punctual does not set itself'),
    help: 'an environment variable of the command',
    guide: 'environment variables',
    flag: '--ssh-env <name=value...>',
  },
  cwd: {
    kind: template(4_096),
    defaultShown: 'the directory of the user',
    help: 'the working directory on the host',
    flag: '--ssh-cwd <path>',
  },
  connectTimeoutMs: {
    kind: duration(1_000, limits.timeoutMsMax),
    default: 10_000,
    help: 'how long the connection may take',
    flag: '--ssh-connect-timeout <time>',
  },
  noRetryCodes: {
    kind: exitCodes,
    default: '126,127',
    help: 'exit codes after which the run is not retried',
    flag: '--ssh-no-retry <codes>',
  },
  outputBytes: {
    kind: integer(0, limits.logBytesPerRun),
    default: 1_048_576,
    help: 'how much of the output the log gets',
    flag: '--ssh-output-bytes <n>',
  },
} as const satisfies OptionTable

export const sshTarget: TargetKind<SshTarget, typeof members> = {
  kind: 'ssh',
  help: 'starts a command on another host',
  members,
}
