#!/usr/bin/env node
/** Prints a statement with its parts and constants expanded: `npm run -s sql work/claim-runs`. */
import { readStatement } from '../packages/store/src/sql/source.ts'

const [path] = process.argv.slice(2)
if (!path) {
  process.stderr.write('usage: npm run -s sql <aggregate>/<statement>, as in work/claim-runs\n')
  process.exit(2)
}
try {
  process.stdout.write(readStatement(path.replace(/^.*queries\//, '').replace(/\.sql$/, '')))
} catch (error) {
  if (error.code !== 'ENOENT') throw error
  process.stderr.write(
    `There is no statement ${path}: expected the path of a file in packages/store/queries, ` +
      'as in work/claim-runs.\n',
  )
  process.exit(1)
}
