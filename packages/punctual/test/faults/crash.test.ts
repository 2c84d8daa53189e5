/** Real worker processes that are killed, stopped and blocked. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'

const script = new URL('../children/worker.mjs', import.meta.url)

let database: TestDatabase
let punctual: Punctual
const children: ChildProcess[] = []

beforeEach(async () => {
  database = await migratedDatabase()
  // The reaper waits one lease: this is the shortest possible.
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

async function startWorker(leaseMs = 1_000, flags: string[] = []): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [...flags, script.pathname], {
    env: { ...process.env, DATABASE_URL: database.url, LEASE_MS: String(leaseMs) },
    // V8's out-of-memory report is expected.
    stdio: ['ignore', 'pipe', flags.length > 0 ? 'ignore' : 'inherit'],
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
  eventually(`run ${id} starts attempt ${attempt}`, () =>
    worker.starts.includes(`start ${id} ${attempt}`),
  )

it('another worker runs a run whose worker was killed with -9; the crash is recorded (case 9)', async () => {
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

it('only unsettled runs run again after a kill (case 12)', async () => {
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

it('a run that kills its worker each time is quarantined; the others succeed (case 15)', async () => {
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

it('a run that exhausts the memory each time is quarantined; the others succeed (case 15)', async () => {
  const payloads = [{ waitMs: 1 }, { hoard: true }, { waitMs: 1 }]
  const [before, hoarder, after] = await punctual.submitMany('work', payloads)
  for (let deaths = 0; deaths < 3; deaths++) {
    const worker = await startWorker(1_000, ['--max-old-space-size=64'])
    const { child } = worker
    await eventually(
      'the worker runs out of memory',
      () => child.exitCode !== null || child.signalCode !== null,
      60_000,
    )
  }
  await startWorker()
  expect(await punctual.runs.waitFor(hoarder as { id: string })).toMatchObject({
    ...{ state: 'dead', reason: 'quarantined' },
    attempts: [{ outcome: 'crashed' }, { outcome: 'crashed' }, { outcome: 'crashed' }],
  })
  for (const run of [before, after] as { id: string }[])
    expect(await punctual.runs.waitFor(run)).toMatchObject({ state: 'succeeded' })
}, 180_000)

it('an effect repeated after a kill has the same key, so a receiver can detect it (case 10)', async () => {
  const effect = join(tmpdir(), `punctual-effects-${process.pid}-${Date.now()}`)
  onTestFinished(() => rm(effect, { force: true }))
  const first = await startWorker()
  const { id } = await punctual.submit('work', { effect, killUntilAttempt: 2 })
  await eventually('the worker is gone', () => first.child.signalCode !== null)
  await startWorker()
  const run = await punctual.runs.waitFor(id, { timeoutMs: 30_000 })
  expect(run.attempts.map(({ outcome }) => outcome)).toEqual(['crashed', 'succeeded'])
  const effects = (await readFile(effect, 'utf8')).trimEnd().split('\n')
  expect([effects.length, new Set(effects).size]).toEqual([2, 1])
})

it('a worker killed while it drains is handled like any dead worker (case 17)', async () => {
  const first = await startWorker()
  const { id } = await punctual.submit('work', { hangUntilAttempt: 2 })
  await started(first, id)
  first.child.kill('SIGTERM')
  await eventually('it drains', async () =>
    (await punctual.store.workers.sessions()).some(({ state }) => state === 'draining'),
  )
  first.child.kill('SIGKILL')
  await startWorker()
  const run = await punctual.runs.waitFor(id, { timeoutMs: 30_000 })
  expect(run).toMatchObject({ state: 'succeeded', output: { attempt: 2 } })
  expect(run.attempts[0]).toMatchObject({ outcome: 'crashed' })
})

it('one poison pill among a thousand good runs affects none of them (case 166)', async () => {
  const good = Array.from({ length: 1_000 }, () => ({ waitMs: 1 }))
  const payloads = [...good.slice(0, 500), { kill: true }, ...good.slice(500)]
  const runs = await punctual.submitMany('work', payloads)
  // Long enough that only the pill kills them: a lease lost on a busy machine also counts as a
  // crash.
  const leaseMs = 4_000
  for (let deaths = 0; deaths < 3; deaths++) {
    const worker = await startWorker(leaseMs)
    await eventually('the pill kills its worker', () => worker.child.signalCode !== null)
  }
  await startWorker(leaseMs)
  for (const [i, run] of runs.entries()) {
    const { state, reason } = await punctual.runs.waitFor(run)
    expect([state, reason]).toEqual(i === 500 ? ['dead', 'quarantined'] : ['succeeded', null])
  }
}, 180_000)

it('a worker stopped for longer than its lease has its outcome refused (case 19)', async () => {
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
  await eventually('the late outcome is refused and recorded', async () => {
    const { rows } = await sql.query('select 1 from punctual.stale_settles where run_id = $1', [id])
    return rows.length === 1
  })
  await sql.end()
  expect(await punctual.runs.get(id)).toEqual(run)
  // It opens a new session and continues to work.
  heir.child.kill('SIGKILL')
  const next = await punctual.submit('work', {})
  expect((await punctual.runs.waitFor(next)).output).toMatchObject({ pid: zombie.child.pid })
})

it('a handler that blocks the event loop for several leases keeps its run (case 22)', async () => {
  const worker = await startWorker(1_000)
  const rival = await startWorker(1_000)
  const { id } = await punctual.submit('work', { blockMs: 4_000 })
  const run = await punctual.runs.waitFor(id)
  expect(run.attempts.length).toBe(1)
  expect([worker.child.pid, rival.child.pid]).toContain((run.output as { pid: number }).pid)
})
