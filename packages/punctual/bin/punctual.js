#!/usr/bin/env node
// Committed because npm does not link a bin whose file is missing at install; the code it runs is
// built.
import { existsSync } from 'node:fs'

const main = new URL('../dist/cli/main.js', import.meta.url)

if (existsSync(main)) await import(main.href)
else {
  console.error('error[not_built]: Punctual is not built.')
  console.error('hint: run `npm run build` in the root of the repository, then retry.')
  process.exitCode = 1
}
