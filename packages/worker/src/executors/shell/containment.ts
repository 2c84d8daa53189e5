/**
 * Keeps a command together. On Linux it gets its own process namespace: nothing in it can
 * leave it, it cannot see the worker, and the kernel ends all of it with its first process, which
 * ends with the worker. Where namespaces are refused, processes are found by their properties
 * instead, and a guard process ends them when the worker is gone.
 */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

export interface Containment {
  /** `namespace`: the kernel ends the whole tree. `search`: we look for its processes. */
  readonly kind: 'namespace' | 'search'
  /** Whether the number of processes can be limited for the command alone. */
  readonly limitsProcesses: boolean
  /** The arguments before a command; `network`: whether it can reach the network. */
  prefix(network: boolean): readonly string[]
}

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']

export const search: Containment = {
  kind: 'search',
  limitsProcesses: false,
  prefix: () => [],
}

/**
 * The parent of the first process must still be the worker: a worker that ended before the kernel
 * was asked to watch it would otherwise be missed.
 */
const STILL_OURS = '[ "$PPID" = "$0" ] || exit 125; exec "$@"'

function namespaced(unshare: string, setpriv: string, user: readonly string[]): Containment {
  const watched = [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--']
  const checked = ['/bin/sh', '-c', STILL_OURS, String(process.pid)]
  const isolated = [unshare, ...user, '--pid', '--fork', '--kill-child', '--mount-proc']
  return {
    kind: 'namespace',
    limitsProcesses: user.length > 0,
    prefix: (network) => [...watched, ...checked, ...isolated, ...(network ? [] : ['--net']), '--'],
  }
}

/** Finds the strongest containment that this machine allows, by trying it. */
export async function findContainment(): Promise<Containment> {
  const [unshare, setpriv] = [findProgram('unshare'), findProgram('setpriv')]
  if (process.platform !== 'linux' || !unshare || !setpriv) return search
  const ways = [
    namespaced(unshare, setpriv, []),
    namespaced(unshare, setpriv, ['--user', '--map-current-user']),
  ]
  for (const way of ways) if (await works(way)) return way
  return search
}

function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function works(way: Containment): Promise<boolean> {
  const [program = '', ...args] = [...way.prefix(true), '/bin/true']
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 5_000, env: {} }, (error) => resolve(error === null))
  })
}
