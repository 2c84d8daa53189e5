import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['@punctual/source'] },
  ssr: { resolve: { conditions: ['@punctual/source'], externalConditions: ['@punctual/source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
})
