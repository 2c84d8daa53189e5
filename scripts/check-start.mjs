#!/usr/bin/env node
/**
 * The README's start, on whichever Node runs this: `npm run check:start`. It builds, starts `npm start` in a temporary
 * data directory on a free port, waits for the summary of the sample, and ends it as Ctrl-C does.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const DEADLINE_MS = 180_000

const folder = mkdtempSync(join(tmpdir(), 'punctual-start-'))
const port = await freePort()
const inherited = Object.entries(process.env).filter(
  ([name]) => !/^(PUNCTUAL_|DATABASE_URL$)/.test(name),
)
const child = spawn('npm', ['start'], {
  cwd: root,
  env: {
    ...Object.fromEntries(inherited),
    PUNCTUAL_PORT: String(port),
    PUNCTUAL_DATA_DIR: join(folder, 'data'),
  },
  detached: true,
  stdio: ['ignore', 'pipe', 'inherit'],
})
let output = ''
let interrupted = false
const late = setTimeout(() => finish(`no summary within ${DEADLINE_MS} ms`), DEADLINE_MS)
child.stdout.on('data', (data) => {
  output += data
  if (interrupted || !/Summary: /.test(output)) return
  interrupted = true
  process.kill(-child.pid, 'SIGINT')
})
child.once('exit', (code) =>
  finish(interrupted ? null : `ended with ${code} before the summary of the sample`),
)

function finish(problem) {
  clearTimeout(late)
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  if (problem === null) console.log(`Node ${process.version}: npm start runs the sample and stops`)
  else console.error(`Node ${process.version}: ${problem}\n${output}`)
  process.exit(problem === null ? 0 : 1)
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
