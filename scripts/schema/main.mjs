#!/usr/bin/env node
/** Writes packages/store/schema.sql from a freshly migrated database: `npm run schema`. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freshSchema, testServer } from '@punctual/testkit'

const target = fileURLToPath(new URL('../../packages/store/schema.sql', import.meta.url))

try {
  writeFileSync(target, await freshSchema())
} finally {
  await (await testServer()).stop()
}
