import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startPrivateServer } from './private-server.ts'
import { requireServer } from './require-server.ts'

const execute = promisify(execFile)
/** sshd refuses to start as root without this directory, whose place is compiled in. */
const ROOT_DIRECTORY = '/run/sshd'

export interface Sshd {
  readonly host: string
  readonly port: number
  /** The user of this process, who may log in with the key. */
  readonly user: string
  /** The private key. */
  readonly key: string
  /** The key of the host, as a line of a known_hosts file. */
  readonly knownHosts: string
  /** Kills the server, which leaves its sessions, and starts it again. */
  restart(): Promise<void>
  /** Kills the server and removes its directory. Idempotent. */
  stop(): Promise<void>
}

/** Starts OpenSSH's server on a private port of loopback with its own keys. */
export async function startSshd(): Promise<Sshd> {
  const server = requireServer('sshd')
  const [host, user] = ['127.0.0.1', userInfo().username]
  const makeKey = (file: string) =>
    execute(server.program('ssh-keygen'), ['-q', '-t', 'ed25519', '-N', '', '-f', file])
  if (process.getuid?.() === 0) await mkdir(ROOT_DIRECTORY, { recursive: true, mode: 0o755 })
  const { port, directory, restart, stop } = await startPrivateServer({
    program: server.program('sshd'),
    readyLine: /Server listening on/,
    // The user `nobody` has no shell, which logging in needs.
    keepsUser: true,
    async prepare({ port, directory }) {
      const [hostKey, userKey] = [join(directory, 'host'), join(directory, 'user')]
      await makeKey(hostKey)
      await makeKey(userKey)
      const settings = [
        `ListenAddress ${host}:${port}`,
        `HostKey ${hostKey}`,
        `AuthorizedKeysFile ${userKey}.pub`,
        'PidFile none',
        'StrictModes no',
        'UsePAM no',
        'PasswordAuthentication no',
        'PermitRootLogin prohibit-password',
        'PrintMotd no',
        'MaxStartups 100',
      ]
      const file = join(directory, 'sshd_config')
      await writeFile(file, `${settings.join('\n')}\n`)
      return ['-D', '-e', '-f', file]
    },
  })
  const [type, hostKey] = (await readFile(join(directory, 'host.pub'), 'utf8')).split(' ')
  const key = await readFile(join(directory, 'user'), 'utf8')
  const knownHosts = `[${host}]:${port} ${type} ${hostKey}`
  return { host, port, user, key, knownHosts, restart, stop }
}
