import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['@punctual/source'] },
  ssr: { resolve: { conditions: ['@punctual/source'], externalConditions: ['@punctual/source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'packages/testkit/test/servers-fixture/**'],
    globalSetup: ['packages/testkit/src/postgres/global-setup.ts'],
    // The skipped suites are named before vitest's own count, which stays last.
    reporters: ['./packages/testkit/src/servers/skip-reporter.ts', 'default'],
    testTimeout: 60_000,
    // What is looked for again and again may take its time on a machine that has much to do.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    hookTimeout: 60_000,
    pool: 'forks',
    // More than there are cores: most tests wait for servers and processes.
    maxWorkers: 4,
  },
})
