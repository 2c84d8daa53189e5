/**
 * The ways to run PostgreSQL's programs as a user that they accept, in order of preference.
 *
 * PostgreSQL refuses to run as root, and `initdb` refuses a user without a passwd entry. Where
 * Linux offers it, `setpriv --pdeathsig SIGINT` makes the kernel end the server with a fast
 * shutdown when its Node process dies, even by kill -9. Every wrapper ends in `exec`, so the
 * process id that `spawn` returns is PostgreSQL's own. `choose-launcher.ts` finds out which of them
 * work.
 */
import type { AsRoot } from '../options/embedded-options.ts'

export interface Account {
  readonly uid: number
  readonly gid: number
}

export interface Launcher {
  readonly name: string
  /** Arguments in front of the program. */
  readonly prefix: readonly string[]
  /** User and group that Node's `spawn` switches to, when no program in `prefix` does. */
  readonly identity?: Account
  /** The required owner of the cluster's files; undefined when that is the current user. */
  readonly owner?: Account
  /**
   * The process runs as another user, whom closed directories keep out: the data directory has to
   * be opened to it, and closed binaries have to be copied.
   */
  readonly isOtherUser: boolean
}

export interface LaunchSituation {
  readonly platform: NodeJS.Platform
  readonly uid: number | undefined
  readonly gid: number | undefined
  readonly hasPasswdEntry: boolean
  /** The user to switch to when this process is root; undefined when the machine has none. */
  readonly serviceUser: Account | undefined
  readonly asRoot: AsRoot
}

const dieWithParent = ['--pdeathsig', 'SIGINT']
const asNobody = ['unshare', '--user', '--map-user=65534', '--map-group=65534']

export function possibleLaunchers(situation: LaunchSituation): Launcher[] {
  const onLinux = situation.platform === 'linux'
  if (situation.uid === 0) return rootLaunchers(situation, onLinux)
  const plain: Launcher = { name: 'direct', prefix: [], isOtherUser: false }
  if (!onLinux) return [plain]
  if (!situation.hasPasswdEntry) return [namespaceLauncher(undefined)]
  return [{ ...plain, prefix: ['setpriv', ...dieWithParent] }, plain]
}

function rootLaunchers(situation: LaunchSituation, onLinux: boolean): Launcher[] {
  const { asRoot, serviceUser, uid = 0, gid = 0 } = situation
  const namespace = onLinux && asRoot !== 'service-user' ? [namespaceLauncher({ uid, gid })] : []
  if (!serviceUser || asRoot === 'namespace') return namespace
  const withSetpriv = onLinux ? setprivLaunchers(serviceUser) : []
  const withSpawn: Launcher = {
    name: 'service-user by spawn',
    prefix: [],
    identity: serviceUser,
    owner: serviceUser,
    isOtherUser: true,
  }
  return [...namespace, ...withSetpriv, withSpawn]
}

/** Root keeps all files, so a checkout under a closed home directory works. */
function namespaceLauncher(owner: Account | undefined): Launcher {
  const prefix = [...asNobody, 'setpriv', ...dieWithParent]
  return { name: 'namespace', prefix, isOtherUser: false, ...(owner ? { owner } : {}) }
}

function setprivLaunchers(user: Account): Launcher[] {
  const become = ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  // Containers refuse namespaces but usually let root keep this one capability. It lets the service
  // user pass the closed directories above a data directory such as /root/app/.punctual. The server
  // can then reach no file that its parent, which is root, could not.
  const throughClosedDirs = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  return [
    {
      name: 'service-user',
      prefix: [...become, ...dieWithParent],
      owner: user,
      isOtherUser: true,
    },
    {
      name: 'service-user through closed directories',
      prefix: [...become, ...throughClosedDirs, ...dieWithParent],
      owner: user,
      isOtherUser: false,
    },
  ]
}
