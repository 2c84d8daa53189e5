/** Installs what a fresh checkout lacks: the peers, and the product's build. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const bench = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

export function setUp() {
  if (!existsSync(`${bench}node_modules`)) npm(bench, 'ci', '--no-audit', '--no-fund')
  if (!existsSync(`${root}node_modules`)) npm(root, 'ci', '--no-audit', '--no-fund')
  if (!existsSync(`${root}packages/punctual/dist/index.js`)) npm(root, 'run', 'build')
}

/** Writes to standard error: standard output belongs to the results. */
function npm(cwd, ...args) {
  process.stderr.write(`bench: npm ${args.join(' ')}\n`)
  const done = spawnSync('npm', args, { cwd, stdio: ['ignore', 2, 2] })
  if (done.status !== 0) throw new Error(`npm ${args.join(' ')} failed in ${cwd}`)
}
