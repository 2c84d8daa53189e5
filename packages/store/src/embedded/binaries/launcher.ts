/**
 * The ways to run PostgreSQL's programs as someone it accepts, in order of preference.
 *
 * PostgreSQL refuses to be root, and `initdb` refuses a user that has no passwd entry. Where Linux
 * offers it, `setpriv --pdeathsig SIGINT` has the kernel end the server with a fast shutdown when
 * its Node process dies, even by kill -9. Every wrapper ends in `exec`, so the process id that
 * `spawn` returns is PostgreSQL's own. Which of them work is found out in `choose-launcher.ts`.
 */
import type { AsRoot } from '../options/embedded-options.ts'

export interface Account {
  readonly uid: number
  readonly gid: number
}

export interface Launcher {
  readonly name: string
  /** Put in front of the program. */
  readonly prefix: readonly string[]
  /** Identity that Node itself gives to the process, where no program does. */
  readonly identity?: Account
  /** Who the cluster's files must belong to; undefined when that is simply this user. */
  readonly owner?: Account
  /**
   * Whether the process is kept out by closed directories like any other user, so that the data
   * directory has to be opened to it and closed binaries have to be copied.
   */
  readonly isStranger: boolean
}

export interface LaunchSituation {
  readonly platform: NodeJS.Platform
  readonly uid: number | undefined
  readonly gid: number | undefined
  readonly hasPasswdEntry: boolean
  /** The user to become when root; undefined when the machine has none. */
  readonly serviceUser: Account | undefined
  readonly asRoot: AsRoot
}

const dieWithParent = ['--pdeathsig', 'SIGINT']
const asNobody = ['unshare', '--user', '--map-user=65534', '--map-group=65534']

export function possibleLaunchers(situation: LaunchSituation): Launcher[] {
  const onLinux = situation.platform === 'linux'
  if (situation.uid === 0) return rootLaunchers(situation, onLinux)
  const plain: Launcher = { name: 'direct', prefix: [], isStranger: false }
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
    isStranger: true,
  }
  return [...namespace, ...withSetpriv, withSpawn]
}

/** Root stays the owner of every file, and a checkout under a closed home is no obstacle. */
function namespaceLauncher(owner: Account | undefined): Launcher {
  const prefix = [...asNobody, 'setpriv', ...dieWithParent]
  return { name: 'namespace', prefix, isStranger: false, ...(owner ? { owner } : {}) }
}

function setprivLaunchers(user: Account): Launcher[] {
  const become = ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  // Containers refuse namespaces but usually let root pass this one right on. It lets the service
  // user through the closed directories above a data directory such as /root/app/.punctual; the
  // server can then reach no file that its parent, which is root, could not.
  const throughClosedDirs = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  return [
    {
      name: 'service-user',
      prefix: [...become, ...dieWithParent],
      owner: user,
      isStranger: true,
    },
    {
      name: 'service-user through closed directories',
      prefix: [...become, ...throughClosedDirs, ...dieWithParent],
      owner: user,
      isStranger: false,
    },
  ]
}
