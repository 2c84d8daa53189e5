/**
 * The profile `hostile-tenant`: a steady tenant is measured twice on the same nodes, first while the
 * hostile tenant sends its requests to a server that does nothing, then while it sends them to the
 * nodes. All processes share the machine, so both halves pay for the sending of the requests.
 */
import { defaults } from '@punctual/core/errors'
import { CONNECTIONS_OF_A_NODE } from '@punctual/store'
import { freePort } from '../../servers/free-port.ts'
import { pause } from '../faults/nemesis.ts'
import { monotonicMs } from '../plan/ledger.ts'
import { SeededRandom } from '../plan/seeded-random.ts'
import { Installation } from './installation.ts'
import type { AttackFigures, Route } from './plan/attack-figures.ts'
import type { Window } from './plan/lateness-log.ts'
import type { RequestFigures } from './plan/request-log.ts'
import { LEASE_MS, SECONDS_ALONE_SHARE, sizes } from './plan/sizes.ts'
import type { Keys } from './plan/tenants.ts'
import type { Program } from './program.ts'
import type { Report } from './report.ts'
import { type Half, judge, type Observed } from './verdict.ts'
import { rowsOf, Watch } from './watch.ts'

export interface ProfileOptions {
  /** Both halves together. */
  readonly seconds: number
  readonly seed: number
  /** The folder of the children's compiled programs: of the product, or of a mutant of it. */
  readonly programs: string
  /** The attacks to make; null for all of them. */
  readonly only: readonly string[] | null
  readonly say: (line: string) => void
}

interface SteadyFigures {
  readonly lateness: readonly number[]
  readonly submitted: number
  readonly requests: RequestFigures
}

/** The installation at work, with both tenants. */
interface Stage {
  readonly installation: Installation
  readonly steady: Program
  readonly shared: Program
  readonly attacker: Program
  /** Two remote workers of the steady tenant: one holds a run until it is killed. */
  readonly holders: readonly Program[]
  readonly keys: Keys
}

const WARM_UP_MS = 5_000
/** After the windows, runs that are late may still start. */
const GRACE_MS = 3_000
/** From the begin of the attack to the death of a worker. */
const KILL_AFTER_MS = 3_000
const RECOVERY_MS_MAX = 30_000
const HOLD_MS_MAX = 20_000
const HOLDERS = ['holder-1', 'holder-2']
const never = new AbortController().signal

export async function runProfile(options: ProfileOptions): Promise<Report> {
  const { programs, say } = options
  const installation = await Installation.start(programs)
  try {
    const keys = await installation.declare()
    const nodes = await installation.startNodes(sizes.nodes)
    const shared = await installation.startProgram(
      'shared-worker',
      'shared',
      {},
      { database: true },
    )
    const { workers, perSecond } = sizes
    const steady = await installation.startProgram('steady', 'steady', {
      ...{ keys, workers: workers - HOLDERS.length, perSecond },
    })
    const attacker = await installation.startProgram('attacker', 'attacker', { keys })
    say(`chaos: ${nodes.length} nodes, ${sizes.jobs} jobs, ${workers} remote workers are up`)
    const watch = new Watch([...nodes, shared], await installation.connect())
    const holders = HOLDERS.map((name) => installation.startProgram('holder', name, { keys }))
    const others = { installation, steady, shared, attacker, keys }
    const stage = { ...others, holders: await Promise.all(holders) }
    const seen = await compare(stage, options)
    const observed = { ...seen.observed, usage: watch.end() }
    const verdict = judge(observed, {
      ...{ leaseMs: LEASE_MS, nodes: sizes.nodes, connections: CONNECTIONS_OF_A_NODE },
      ...{ tenantHttpRate: sizes.tenantHttpRate, tenantStreams: defaults.tenantStreams },
    })
    return { verdict, observed, attacks: seen.attacks }
  } finally {
    await installation.stop()
  }
}

async function compare(stage: Stage, { seconds, seed, only, say }: ProfileOptions) {
  const { installation, steady } = stage
  const routes = new SeededRandom(seed).shuffled(await routesOf(installation))
  const warm = await within(WARM_UP_MS)
  const { requests } = await steady.ask<SteadyFigures>('figures', warm)
  const perSecond = Math.round(((requests.sent * 1_000) / WARM_UP_MS) * sizes.timesSteady)
  say(`chaos: the steady tenant sends ${requests.sent} requests in ${WARM_UP_MS / 1_000} s`)
  const strike = (servers: readonly string[], ms: number) =>
    stage.attacker.ask<AttackFigures>('attack', {
      ...{ servers, routes, perSecond, ms, ...(only && { only }) },
    })
  const port = await freePort()
  const stub = await installation.startProgram('stub', 'stub', {}, { port })
  const aloneMs = Math.round(seconds * 1_000 * SECONDS_ALONE_SHARE)
  const attackMs = seconds * 1_000 - aloneMs
  const idle = strike([`http://127.0.0.1:${port}`], aloneMs)
  const alone = await halfOf(stage, await within(aloneMs))
  await idle
  const holder = await holdRun(stage)
  await stub.kill()
  say(`chaos: the attack begins, ${perSecond} requests a second`)
  const attack = strike(installation.servers, attackMs)
  const recovered = killHolder(stage, holder)
  const attacked = await halfOf(stage, await within(attackMs))
  const figures = await attack
  const client = await installation.connect()
  const rows = await rowsOf(client, stage.keys.hostileId)
  await client.end()
  const { sent, admitted, streams } = figures
  const hostile = { seconds: attackMs / 1_000, sent, admitted, streams, rows }
  const observed: Omit<Observed, 'usage'> = {
    ...{ alone, attacked, hostile, recoveryMs: await recovered },
  }
  return { observed, attacks: figures.counts }
}

/** Waits, and returns the window in wall time. */
async function within(ms: number): Promise<Window> {
  const fromMs = Date.now()
  await pause(ms, never)
  return { fromMs, untilMs: Date.now() }
}

async function halfOf({ steady, shared }: Stage, window: Window): Promise<Half> {
  await pause(GRACE_MS, never)
  const figures = await steady.ask<SteadyFigures>('figures', window)
  const { lateness } = await shared.ask<Pick<SteadyFigures, 'lateness'>>('figures', window)
  const slots = Math.ceil(window.untilMs / 1_000) - Math.ceil(window.fromMs / 1_000)
  const expected = figures.submitted + slots * sizes.jobs
  const started = [...figures.lateness, ...lateness]
  const missing = Math.max(0, expected - started.length)
  const { sent, failed, failures } = figures.requests
  return {
    latenessMs: [...started, ...new Array<number>(missing).fill(Infinity)],
    ...{ requests: sent, failed, failures },
  }
}

/** Lets one of two workers start a run that does not end. */
async function holdRun({ steady, holders }: Stage): Promise<Program> {
  await steady.ask('hold')
  const starts = holders.map((holder) => holder.ask('started').then(() => holder))
  const holder = await Promise.race([...starts, pause(HOLD_MS_MAX, never)])
  if (holder) return holder
  throw new Error(`No worker has started the run to hold within ${HOLD_MS_MAX} ms.`)
}

/** Kills the worker that holds the run; resolves with how long the run was held up. */
async function killHolder({ holders }: Stage, holder: Program): Promise<number | null> {
  await pause(KILL_AFTER_MS, never)
  const killedMs = monotonicMs()
  await holder.kill()
  const others = holders.filter((other) => other !== holder)
  const again = others.map((other) => other.ask<number>('started'))
  const atMs = await Promise.race([...again, pause(RECOVERY_MS_MAX, never)])
  return typeof atMs === 'number' ? atMs - killedMs : null
}

/** The routes of the node's own document, without those that would end the attack. */
async function routesOf({ servers }: Installation): Promise<Route[]> {
  const answer = await fetch(`${servers[0]}/openapi.json`)
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> }
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  )
  // A pause of all queues, and streams, which have a separate attack.
  return all.filter(({ path }) => !/^\/v1\/(?:queues\/)?pause$|\/activity$/.test(path))
}
