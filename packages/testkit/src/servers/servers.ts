/**
 * The servers, apart from the embedded PostgreSQL, that test suites and benchmarks start, the clock that they fake, and the
 * browser.
 *
 * `scripts/setup-servers.sh` holds the same names and programs beside the Debian packages that
 * bring them; a test keeps the two tables equal.
 */

export interface ServerDefinition {
  /** The name as its makers write it; titles of suites and the report of skipped ones use it. */
  readonly title: string
  /** Every program that suites run. The server counts as installed only with all of them. */
  readonly programs: readonly string[]
  /** The command that a reader of a skip or a failure can paste. */
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
  chromium: {
    title: 'Chromium',
    programs: ['chromium'],
    install: 'npm run setup:servers -- chromium',
  },
} as const satisfies Record<string, ServerDefinition>

export type ServerName = keyof typeof servers
