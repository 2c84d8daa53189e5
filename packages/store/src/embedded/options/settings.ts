/**
 * The server's settings: durable, and sized for a small machine. They are passed on the command
 * line, so they override `postgresql.conf` and `ALTER SYSTEM`, and no file has to be kept in sync.
 */
import { EmbeddedError, EmbeddedErrorCode } from '../data-directory/embedded-error.ts'

const defaults: Readonly<Record<string, string>> = {
  // An accepted run is never lost: that guarantee depends on these three.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',

  max_connections: '200',
  // Migrations and partition maintenance lock many tables in one transaction.
  max_locks_per_transaction: '256',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // Creating a WAL file takes about 60 ms in which nothing commits: keep those of a busy hour.
  min_wal_size: '512MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '10min',
  random_page_cost: '1.1',

  // Queue tables turn over quickly: vacuum little and often, and do not throttle it to a crawl.
  autovacuum_naptime: '10s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_vacuum_insert_scale_factor: '0.1',
  autovacuum_analyze_scale_factor: '0.05',
  autovacuum_vacuum_cost_limit: '2000',

  // Short statements only lose from JIT and parallel plans, and parallel workers need more of
  // /dev/shm than the 64 MB that a container usually has.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',

  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  log_line_prefix: '%m [%p] %q%u@%d ',
}

/** Settings that the supervisor depends on to find, reach and log the server. */
const reserved: ReadonlySet<string> = new Set([
  'cluster_name',
  'config_file',
  'data_directory',
  'external_pid_file',
  'hba_file',
  'ident_file',
  'listen_addresses',
  'log_destination',
  'logging_collector',
  'port',
  'unix_socket_directories',
])

export interface ServerFacts {
  readonly port: number
  /** Distinguishes this cluster's processes: see `cluster-processes.ts`. */
  readonly tag: string
  readonly supportsLz4: boolean
}

export function serverSettings(
  facts: ServerFacts,
  overrides: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...defaults,
    wal_compression: facts.supportsLz4 ? 'lz4' : 'off',
    ...overrides,
    // TCP on loopback, never a Unix socket: the path of a socket is limited to 107 bytes, which a
    // data directory deep in a project exceeds, and Windows has none. Passwords protect the port.
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(facts.port),
    cluster_name: facts.tag,
    // The supervisor gives the server a log file as its stderr: see `server-log.ts`.
    log_destination: 'stderr',
    logging_collector: 'off',
  }
}

/** `{ a: 'b' }` becomes `['-c', 'a=b']`. */
export function settingArguments(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

export function assertSettings(settings: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(settings)) {
    if (!/^[a-z_][a-z0-9_]*(\.[a-z0-9_]+)?$/.test(name)) {
      throw new EmbeddedError(
        EmbeddedErrorCode.InvalidOption,
        `"${name}" is not the name of a PostgreSQL setting. Write it in lower case, such as max_connections.`,
      )
    }
    if (reserved.has(name)) {
      throw new EmbeddedError(
        EmbeddedErrorCode.InvalidOption,
        `The setting "${name}" is controlled by the supervisor of the embedded server and cannot be set. ` +
          'Use the options of startEmbedded, or run your own PostgreSQL and set DATABASE_URL.',
      )
    }
  }
}
