import { defineConfig } from 'vitest/config'

/**
 * The tests in tiers, so that a change is tested in seconds first: `npm run test:unit`, `test:quick`,
 * `npm test`, and what CI adds. CONTRIBUTING.md has the budget of each.
 */

const servers = ['packages/testkit/src/postgres/global-setup.ts']
const notTests = ['**/node_modules/**', '**/dist/**', 'packages/testkit/test/servers-fixture/**']

/** Pure or on loopback only: no PostgreSQL, no child process. */
const unit = ['packages/*/src/**/*.test.ts']
/** Tests next to the code that start servers. */
const serversBesideCode = [
  'packages/store/src/embedded/**/*.test.ts',
  'packages/testkit/src/postgres/**/*.test.ts',
]
/** Need another server, a registry or another language: PgBouncer, Redis, faketime, frameworks. */
const otherServers = [
  'packages/*/test/**/*.servers.test.ts',
  'packages/testkit/test/servers.test.ts',
  'packages/testkit/test/chaos.test.ts',
  'packages/testkit/test/clean-clone.test.ts',
  'packages/testkit/test/framework-examples.test.ts',
]
const browser = ['packages/*/test/**/*.browser.test.ts']
/** Random histories against models, and hostile input. */
const fuzz = [
  'packages/*/test/**/*.property.test.ts',
  'packages/*/test/**/*.{fuzz,differential}.test.ts',
]
/** The store and the library without what takes long: faults, kills, isolation, command lines. */
const quick = [
  'packages/store/test/{submit,sessions,upkeep,runs,activity,jobs,calendars,ledger}/**/*.test.ts',
  'packages/store/test/{dead-letters,groups,queues,stats,api-keys,audit-log,secrets}/**/*.test.ts',
  'packages/punctual/test/{runs,jobs,tenants}/**/*.test.ts',
]

const postgres = {
  globalSetup: servers,
  pool: 'forks',
} as const

export default defineConfig({
  resolve: { conditions: ['@punctual/source'] },
  ssr: { resolve: { conditions: ['@punctual/source'], externalConditions: ['@punctual/source'] } },
  test: {
    // The skipped suites are named before vitest's own count, which stays last.
    reporters: ['./packages/testkit/src/servers/skip-reporter.ts', 'default'],
    testTimeout: 60_000,
    // A condition that is polled may take its time on a busy machine.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    hookTimeout: 60_000,
    // More workers than cores: most tests wait for servers and processes.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          exclude: [...notTests, ...serversBesideCode],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'quick', include: quick, exclude: [...notTests, ...fuzz], ...postgres },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: ['packages/*/test/**/*.test.ts', ...serversBesideCode],
          exclude: [...notTests, ...quick, ...fuzz, ...otherServers, ...browser],
          ...postgres,
        },
      },
      {
        extends: true,
        test: { name: 'servers', include: otherServers, exclude: notTests, ...postgres },
      },
      {
        extends: true,
        test: { name: 'browser', include: browser, exclude: notTests, ...postgres },
      },
      { extends: true, test: { name: 'fuzz', include: fuzz, exclude: notTests, ...postgres } },
    ],
  },
})
