/**
 * The programs that test suites and benchmarks start besides the embedded PostgreSQL: servers, the
 * library that fakes a clock, and the browser.
 *
 * `scripts/setup-servers.sh` lists the same names and programs with the Debian packages that
 * provide them; a test keeps the two tables equal.
 */

export interface ServerDefinition {
  /** The official spelling of the name, for suite titles and the report of skipped suites. */
  readonly title: string
  /** Every program that suites run. The server counts as installed only when all of them are. */
  readonly programs: readonly string[]
  /** The install command that a skip or a failure prints. */
  readonly install: string
}

export const servers = {
  pgbouncer: {
    title: 'PgBouncer',
    programs: ['pgbouncer'],
    install: 'npm run setup:servers -- pgbouncer',
  },
  redis: {
    title: 'Redis',
    programs: ['redis-server'],
    install: 'npm run setup:servers -- redis',
  },
  postgresql: {
    title: 'PostgreSQL',
    programs: ['postgres', 'initdb', 'pg_ctl', 'psql', 'pg_basebackup'],
    install: 'npm run setup:servers -- postgresql',
  },
  faketime: {
    title: 'libfaketime',
    programs: ['faketime'],
    install: 'npm run setup:servers -- faketime',
  },
  sshd: {
    title: 'OpenSSH',
    programs: ['sshd', 'ssh', 'ssh-keygen'],
    install: 'npm run setup:servers -- sshd',
  },
  chromium: {
    title: 'Chromium',
    programs: ['chromium'],
    install: 'npm run setup:servers -- chromium',
  },
} as const satisfies Record<string, ServerDefinition>

export type ServerName = keyof typeof servers
