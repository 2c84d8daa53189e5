/** The arguments of the OpenSSH client: no file, agent or option of this machine takes part. */
import type { SshTarget } from '@punctual/core/target'
import type { KeyFiles } from './key-files.ts'

const CONNECT_MS = 10_000

export function clientArguments(target: SshTarget, files: KeyFiles, command: string): string[] {
  const { host, user, port = 22, connectTimeoutMs = CONNECT_MS } = target
  const options = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: files.knownHosts,
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    IdentityFile: files.key,
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    PreferredAuthentications: 'publickey',
    ForwardAgent: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ControlMaster: 'no',
    ControlPath: 'none',
    ConnectTimeout: String(Math.ceil(connectTimeoutMs / 1_000)),
    // A host that is gone is noticed after 15 seconds.
    ServerAliveInterval: '5',
    ServerAliveCountMax: '3',
    LogLevel: 'ERROR',
  }
  const given = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  return ['-F', 'none', '-T', ...given, '-p', String(port), '-l', user, '--', host, command]
}
