/**
 * A campaign process that submits runs of every kind at a steady pace and records how each
 * submission ended: acknowledged, refused, or indeterminate. A submission with a key whose answer
 * was lost is repeated while its run, which is due later, is certainly live: the repetition must
 * not create a second run. Some submissions go through the API nodes, which remember requests, so
 * each of those may be repeated.
 */
import { Punctual, PunctualError, type SubmitOptions } from 'punctual'
import {
  type ChaosKeys,
  libraryOptions,
  readSettings,
  serveUntilStopped,
} from '../plan/child-settings.ts'
import { type AskLine, LedgerWriter, monotonicMs } from '../plan/ledger.ts'
import { SeededRandom } from '../plan/seeded-random.ts'
import {
  type ChaosPayload,
  type Crowd,
  crowds,
  isOnce,
  type Kind,
  kinds,
} from '../plan/workload.ts'
import { HttpSubmitter, isHttpRefusal } from './submit-over-http.ts'

const settings = readSettings()
const { untilMs, keyedUntilMs, perSecond, keyedDelayMs, askAgainWithinMs, keys } =
  settings.more as {
    keys: ChaosKeys
    untilMs: number
    keyedUntilMs: number
    perSecond: number
    keyedDelayMs: number
    askAgainWithinMs: number
  }
const OUTSTANDING_MAX = 100

const random = new SeededRandom(settings.seed ^ process.pid)
const ledger = new LedgerWriter(settings.directory, settings.name)
const punctual = await Punctual.start({ ...libraryOptions(settings), roles: [] })
const http = new HttpSubmitter(settings.servers ?? [], keys.submit)
let asksMade = 0
let outstanding = 0

/** The share of submissions that go through the API nodes. */
const HTTP_SHARE = 0.5
/** The share of those that are repeated although they were answered. */
const REPEATED_SHARE = 0.2
const HTTP_TRIES = 3

const KINDS: readonly Kind[] = [...kinds, 'quick', 'slow', 'far']
const TAKES_MS: Partial<Record<Kind, readonly [number, number]>> = {
  slow: [2_000, 8_000],
  once: [0, 3_000],
  far: [2_000, 8_000],
  'far-once': [0, 3_000],
  transactional: [0, 1_500],
  committed: [0, 1_500],
}
/**
 * The share of quick runs that belong to a crowd and are submitted together: without a limit they
 * would overlap.
 */
const CROWDED_SHARE = 0.4
const TOGETHER = 4
const CROWDED_MS = [200, 400] as const

interface Ask {
  readonly ask: string
  readonly kind: Kind
  readonly key: string | null
  readonly crowd: Crowd | null
  readonly payload: ChaosPayload
  readonly options: SubmitOptions
}

function makeAsk(kind = random.pick(KINDS), crowd = crowdOf(kind)): Ask {
  const ask = `${settings.name}-${process.pid}-${++asksMade}`
  const isLater = monotonicMs() < keyedUntilMs && random.chance(0.5)
  const key = random.chance(0.3) ? `key-${ask}` : null
  const options: SubmitOptions = {
    ...(crowd && crowdOptions(crowd)),
    retry: { backoff: { kind: 'fixed', delayMs: 300 } },
    ...(!isOnce(kind) && { maxAttempts: 10 }),
    ...(key !== null && { key }),
    ...(key !== null && isLater && { delayMs: keyedDelayMs }),
    ...(isOnce(kind) && { delivery: 'at-most-once' }),
    ...(kind === 'committed' && { delivery: 'transactional' }),
  }
  const takesMs = random.between(...(crowd ? CROWDED_MS : (TAKES_MS[kind] ?? [0, 50])))
  const throwsUntil = kind === 'flaky' ? random.between(1, 2) : 0
  const payload = {
    kind,
    ask,
    job: null,
    takesMs,
    throwsUntil,
    ...(crowd && { crowd: crowd.name }),
  }
  return { ask, kind, key, crowd, options, payload }
}

function crowdOf(kind: Kind): Crowd | null {
  return kind === 'quick' && random.chance(CROWDED_SHARE) ? random.pick(crowds) : null
}

function crowdOptions({ name, by, limit }: Crowd): SubmitOptions {
  return by === 'queue' ? { queue: name } : { concurrency: { key: name, limit } }
}

function noteAll(
  asks: readonly Ask[],
  what: AskLine['what'],
  moreOf: (i: number) => Partial<AskLine>,
): void {
  for (const [i, ask] of asks.entries()) note(ask, what, moreOf(i))
}

function note({ ask, kind, key }: Ask, what: AskLine['what'], more: Partial<AskLine> = {}): void {
  const empty = { run: null, created: null, error: null }
  const base = { ask, kind, key, process: settings.name, monotonicMs: monotonicMs() }
  ledger.append({ ...base, ...empty, ...more, what })
}

/** After a refusal nothing is stored; after any other error the result is unknown. */
function isRefusal(error: unknown): boolean {
  if (isHttpRefusal(error)) return true
  return error instanceof PunctualError && /^(?:invalid_|handler_)/.test(error.code)
}

function failureOf(error: unknown): [AskLine['what'], Partial<AskLine>] {
  return [isRefusal(error) ? 'refused' : 'indeterminate', { error: (error as Error).message }]
}

async function submit(ask: Ask): Promise<void> {
  const askedAtMs = monotonicMs()
  note(ask, 'asked')
  for (let again = false; ; again = true) {
    try {
      const { id, created } = await punctual.submit(ask.kind, ask.payload, ask.options)
      note(ask, 'acknowledged', { run: id, created })
      return
    } catch (error) {
      note(ask, ...failureOf(error))
      if (isRefusal(error)) return
      const inTime = monotonicMs() - askedAtMs < askAgainWithinMs
      // A key is released at the end of its run: a run that was due at once may have ended.
      if (ask.key === null || ask.options.delayMs === undefined || again || !inTime) return
    }
  }
}

async function submitOverHttp(ask: Ask): Promise<void> {
  const repeats = random.chance(REPEATED_SHARE)
  note(ask, 'asked')
  for (let tries = 1; tries <= HTTP_TRIES; tries++)
    try {
      const { id, created } = await http.submit(ask)
      note(ask, 'acknowledged', { run: id, created })
      if (!repeats) return
    } catch (error) {
      note(ask, ...failureOf(error))
      if (isRefusal(error)) return
    }
}

/** One request, not repeated once the client gives up, because the batch has a separate key. */
async function submitTogether(asks: readonly Ask[]): Promise<void> {
  const batch = `of ${asks[0]?.ask}`
  noteAll(asks, 'asked', () => ({ batch }))
  try {
    const runs = await http.submitMany(asks)
    noteAll(asks, 'acknowledged', (i) => ({
      ...{ batch, run: runs[i]?.id ?? null, created: runs[i]?.created ?? null },
    }))
  } catch (error) {
    const [what, more] = failureOf(error)
    noteAll(asks, what, () => ({ ...more, batch }))
  }
}

function submitAll(asks: readonly Ask[]): Promise<unknown> {
  if (!random.chance(HTTP_SHARE)) return Promise.all(asks.map(submit))
  return asks.length > 1 ? submitTogether(asks) : Promise.all(asks.map(submitOverHttp))
}

const pace = setInterval(() => {
  if (monotonicMs() > untilMs) clearInterval(pace)
  else if (outstanding < OUTSTANDING_MAX) {
    const first = makeAsk()
    const others = first.crowd ? TOGETHER - 1 : 0
    const asks = [first, ...Array.from({ length: others }, () => makeAsk(first.kind, first.crowd))]
    outstanding += asks.length
    void submitAll(asks).finally(() => {
      outstanding -= asks.length
    })
  }
}, 1_000 / perSecond)

serveUntilStopped(async () => {
  clearInterval(pace)
  await punctual.stop()
})
