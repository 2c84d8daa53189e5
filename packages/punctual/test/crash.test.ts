/** Real worker processes that are killed, stopped and blocked (RELIABILITY cases 9, 12, 15, 19, 22, 28). */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterEach, beforeEach, expect, it } from 'vitest'

const script = new URL('./children/worker.mjs', import.meta.url)

let database: TestDatabase
let punctual: Punctual
const children: ChildProcess[] = []

beforeEach(async () => {
  database = await migratedDatabase()
  // The reaper's own patience is a lease: the shortest that there is.
  punctual = await Punctual.start({
    databaseUrl: database.url,
    roles: ['reaper'],
    worker: { leaseMs: 1_000 },
  })
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await punctual.stop()
  await database.drop()
})

interface WorkerProcess {
  readonly child: ChildProcess
  readonly starts: string[]
}

async function startWorker(leaseMs = 1_000): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [script.pathname], {
    env: { ...process.env, DATABASE_URL: database.url, LEASE_MS: String(leaseMs) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines: string[] = []
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
    lines.push(line),
  )
  await eventually('the worker is ready', () => lines.includes('ready'))
  return { child, starts: lines }
}

const started = (worker: WorkerProcess, id: string, attempt = 1) =>
  eventually(`run ${id} starts its attempt ${attempt}`, () =>
    worker.starts.includes(`start ${id} ${attempt}`),
  )

it('a run whose worker is killed with -9 is run by another one, and the crash is on record', async () => {
  const first = await startWorker()
  const { id } = await punctual.submit('work', { hangUntilAttempt: 2 })
  await started(first, id)
  first.child.kill('SIGKILL')
  const second = await startWorker()
  const run = await punctual.runs.waitFor(id, { timeoutMs: 30_000 })
  expect(run).toMatchObject({ state: 'succeeded', output: { attempt: 2, pid: second.child.pid } })
  expect(run.attempts).toMatchObject([
    { outcome: 'crashed', error: { name: 'WorkerLost' } },
    { outcome: 'succeeded' },
  ])
})

it('only what was not settled is run again after a kill', async () => {
  const first = await startWorker()
  const quick = await punctual.submitMany(
    'work',
    Array.from({ length: 50 }, () => ({})),
  )
  await Promise.all(quick.map((run) => punctual.runs.waitFor(run)))
  const slow = await punctual.submitMany(
    'work',
    Array.from({ length: 5 }, () => ({ hangUntilAttempt: 2 })),
  )
  for (const { id } of slow) await started(first, id)
  first.child.kill('SIGKILL')
  const second = await startWorker()
  for (const run of slow) expect((await punctual.runs.waitFor(run)).attempts.length).toBe(2)
  for (const { id } of quick) expect(second.starts.some((line) => line.includes(id))).toBe(false)
})

it('a run that kills its worker each time is quarantined, and its neighbours succeed', async () => {
  const pill = await punctual.submit('work', { kill: true })
  const keepAlive = async () => {
    for (let deaths = 0; deaths < 3; deaths++) {
      const worker = await startWorker()
      await eventually(
        'the pill kills its worker',
        () => worker.child.exitCode !== null || worker.child.signalCode !== null,
      )
    }
  }
  await keepAlive()
  const neighbours = await punctual.submitMany('work', [{}, {}, {}])
  await startWorker()
  expect(await punctual.runs.waitFor(pill)).toMatchObject({ state: 'dead', reason: 'quarantined' })
  for (const run of neighbours)
    expect(await punctual.runs.waitFor(run)).toMatchObject({ state: 'succeeded' })
})

it('a worker that was stopped for longer than its lease finds its outcome refused', async () => {
  const zombie = await startWorker()
  const { id } = await punctual.submit('work', { waitMs: 300 })
  await started(zombie, id)
  zombie.child.kill('SIGSTOP')
  const heir = await startWorker()
  await started(heir, id, 2)
  const run = await punctual.runs.waitFor(id)
  zombie.child.kill('SIGCONT')
  expect(run.output).toMatchObject({ pid: heir.child.pid })
  const sql = await punctual.store.database.connect()
  await eventually('the outcome of the zombie is refused and recorded', async () => {
    const { rows } = await sql.query('select 1 from punctual.stale_settles where run_id = $1', [id])
    return rows.length === 1
  })
  await sql.end()
  expect(await punctual.runs.get(id)).toEqual(run)
  // It opens a new session and works on.
  heir.child.kill('SIGKILL')
  const next = await punctual.submit('work', {})
  expect((await punctual.runs.waitFor(next)).output).toMatchObject({ pid: zombie.child.pid })
})

it('a handler that blocks the event loop for several leases keeps its run', async () => {
  const worker = await startWorker(1_000)
  const rival = await startWorker(1_000)
  const { id } = await punctual.submit('work', { blockMs: 4_000 })
  const run = await punctual.runs.waitFor(id)
  expect(run.attempts.length).toBe(1)
  expect([worker.child.pid, rival.child.pid]).toContain((run.output as { pid: number }).pid)
})
