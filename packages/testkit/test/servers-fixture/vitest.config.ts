import { defineConfig } from 'vitest/config'
import SkipReporter from '../../src/servers/skip-reporter.ts'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.fixture.ts'],
    reporters: [new SkipReporter(), ['default', { summary: false }]],
  },
})
