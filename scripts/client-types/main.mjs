#!/usr/bin/env node
/**
 * Writes packages/client/src/http/api.gen.ts from the OpenAPI document of the API: `npm run
 * client:types`. With `--check` it only reports whether the file is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createApp } from '@punctual/api'
import { renderOperations } from './render-operations.mjs'

const target = fileURLToPath(new URL('../../packages/client/src/http/api.gen.ts', import.meta.url))

/** Only the schemas of the routes are read: no port is called. */
const nothing = () => {
  throw new Error('This port is not available.')
}
const app = createApp({ health: nothing, ready: nothing, metrics: nothing, service: nothing })
await app.ready()
const text = renderOperations(app.swagger())
await app.close()

if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  console.error('packages/client/src/http/api.gen.ts is out of date: npm run client:types')
  process.exitCode = 1
}
