/**
 * The transactions of requests that write. Requests of one tenant and route that arrive while others
 * are in progress share a transaction if the route can handle many calls at once, so that many
 * concurrent callers cost little more than one. When one request of a batch is refused, each is done
 * separately, and only that one gets the error.
 *
 * A request with an idempotency key is done once: its answer is stored in the same transaction, and
 * later requests with the key get the stored answer.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyReply } from 'fastify'
import type { AnsweredRequest, Service } from '../ports/service.ts'
import { type ConnectionScope, within } from './connection-scope.ts'
import type { AnyRoute } from './define-route.ts'
import { keyInUse, keyOfAnother, type RequestKey } from './idempotency.ts'
import { PieceTurns } from './piece-turns.ts'
import { problemFrom } from './problem.ts'

/**
 * Concurrent transactions of one tenant and route; a further one begins when `MANY` requests wait.
 */
const AT_ONCE = 4
const MANY = 16
const TOGETHER_MAX = 256

interface WritingRequest {
  readonly route: AnyRoute
  readonly service: Service
  readonly tenantId: number
  readonly scope: ConnectionScope
  readonly key: RequestKey | null
  readonly reply: FastifyReply
  /** The argument of the handler. */
  readonly call: unknown
  /** Does the request separately. */
  work(): Promise<unknown>
}

interface Waiting {
  readonly request: WritingRequest
  resolve(answer: unknown): void
  reject(error: unknown): void
}

interface Group {
  readonly waiting: Waiting[]
  /** The keys of waiting requests and of requests in progress. */
  readonly keys: Set<string>
  underWay: number
}

type Outcome = { readonly answer: unknown } | { readonly error: Error }

export class SharedTransactions {
  /** Bounds the pieces of long requests. */
  readonly pieceTurns = new PieceTurns()
  readonly #groups = new Map<string, Group>()
  /** Tenants and keys of requests that do their work in separate transactions. */
  readonly #apartKeys = new Set<string>()
  /** Runs a batch outside the async context of the request that started it. */
  readonly #apart = AsyncLocalStorage.snapshot()

  async perform(request: WritingRequest): Promise<unknown> {
    const { route, tenantId, scope, key } = request
    if (!route.handleAll) return alone(request)
    const name = `${tenantId} ${scope} ${route.path}`
    const group = this.#groups.get(name) ?? { waiting: [], keys: new Set(), underWay: 0 }
    if (key && group.keys.has(key.text)) throw keyInUse(key.text)
    this.#groups.set(name, group)
    return new Promise((resolve, reject) => {
      if (key) group.keys.add(key.text)
      group.waiting.push({ request, resolve, reject })
      this.#pump(name, group)
    })
  }

  /**
   * For a request that does its work in separate short transactions: only its answer is stored
   * in one from here. One request with the key runs at a time in this process.
   */
  async performApart(request: WritingRequest): Promise<unknown> {
    const { key, tenantId } = request
    if (key === null) return request.work()
    const name = `${tenantId} ${key.text}`
    if (this.#apartKeys.has(name)) throw keyInUse(key.text)
    this.#apartKeys.add(name)
    try {
      return await answerApart(request)
    } finally {
      this.#apartKeys.delete(name)
    }
  }

  #pump(name: string, group: Group): void {
    while (mayBegin(group)) {
      const batch = group.waiting.splice(0, TOGETHER_MAX)
      group.underWay++
      void this.#apart(async () => {
        await answer(batch)
        for (const { request } of batch) if (request.key) group.keys.delete(request.key.text)
        group.underWay--
        if (group.underWay === 0 && group.waiting.length === 0) this.#groups.delete(name)
        this.#pump(name, group)
      })
    }
  }
}

function mayBegin({ waiting, underWay }: Group): boolean {
  if (underWay === 0) return waiting.length > 0
  return underWay < AT_ONCE && waiting.length >= MANY
}

/** Answers every request of the batch; never rejects. */
async function answer(batch: readonly Waiting[]): Promise<void> {
  const each = () =>
    Promise.all(
      batch.map(({ request, resolve, reject }) => alone(request).then(resolve).catch(reject)),
    )
  const first = batch[0]?.request
  const handleAll = first?.route.handleAll
  if (!handleAll || batch.length === 1) return void (await each())
  const requests = batch.map(({ request }) => request)
  const tenant = first.service.tenant(first.tenantId)
  const callsOf = (fresh: readonly WritingRequest[]) => fresh.map(({ call }) => call)
  try {
    const outcomes = await inTransaction(first, requests, (fresh) =>
      handleAll(tenant, callsOf(fresh)),
    )
    for (const [i, outcome] of outcomes.entries())
      if ('error' in outcome) batch[i]?.reject(outcome.error)
      else batch[i]?.resolve(outcome.answer)
  } catch (error) {
    if (problemFrom(error, '').status < 500) await each()
    else for (const { reject } of batch) reject(error)
  }
}

async function alone(request: WritingRequest): Promise<unknown> {
  const [outcome] = await inTransaction(request, [request], async () => [await request.work()])
  return outcome && answerIn(outcome)
}

async function answerApart(request: WritingRequest): Promise<unknown> {
  const { service, tenantId } = request
  const earlier = await service.transaction(async () =>
    (await earlierOutcomes(service, tenantId, [request])).get(request),
  )
  if (earlier) return answerIn(earlier)
  const answer = await request.work()
  const kept = keptOf(request, answer)
  const raced = await service.transaction(async () => {
    const before = (await earlierOutcomes(service, tenantId, [request])).get(request)
    if (!before && kept) await service.requests.answered(tenantId, [kept])
    return before
  })
  return raced ? answerIn(raced) : answer
}

function answerIn(outcome: Outcome): unknown {
  if ('error' in outcome) throw outcome.error
  return outcome.answer
}

/**
 * For requests of one tenant: does the new ones, and stores the answers of those with a key; repeated
 * ones get their stored answers.
 */
function inTransaction(
  { service, tenantId, scope }: WritingRequest,
  requests: readonly WritingRequest[],
  work: (fresh: readonly WritingRequest[]) => Promise<readonly unknown[]>,
): Promise<readonly Outcome[]> {
  const transaction = () =>
    service.transaction(async () => {
      const known = await earlierOutcomes(service, tenantId, requests)
      const fresh = requests.filter((request) => !known.has(request))
      const answers = fresh.length > 0 ? await work(fresh) : []
      const answerOf = new Map(fresh.map((request, i) => [request, answers[i]]))
      const kept = fresh.flatMap((request) => keptOf(request, answerOf.get(request)) ?? [])
      if (kept.length > 0) await service.requests.answered(tenantId, kept)
      return requests.map(
        (request): Outcome => known.get(request) ?? { answer: answerOf.get(request) },
      )
    })
  return within(scope, { service, tenantId }, transaction)
}

/** Locks the keys of the requests; returns the outcomes of those whose key was used before. */
async function earlierOutcomes(
  { requests: log }: Service,
  tenantId: number,
  requests: readonly WritingRequest[],
): Promise<ReadonlyMap<WritingRequest, Outcome>> {
  const earlier = new Map<WritingRequest, Outcome>()
  const keyed = requests.flatMap((request) => (request.key ? { request, key: request.key } : []))
  if (keyed.length === 0) return earlier
  const keys = keyed.map(({ key }) => key.text)
  const answers = await log.take(tenantId, keys)
  for (const [i, { request, key }] of keyed.entries()) {
    const before = answers[i] ?? null
    if (before !== null) earlier.set(request, replayed(request, key, before))
  }
  return earlier
}

/** What to store of an answer; null for a request without a key. */
function keptOf({ route, key, reply }: WritingRequest, answer: unknown) {
  if (!key) return null
  const [fingerprint] = key.fingerprints
  const { statusCode: status } = reply
  const kept = route.keep && answer !== undefined ? route.keep(answer) : answer
  const text = JSON.stringify(kept ?? null)
  const etag = reply.getHeader('etag')
  const body = etag === undefined ? text : `etag ${etag}\n${text}`
  return { key: key.text, fingerprint, status, body }
}

/**
 * The stored answer, after a line with its ETag if it had one; no JSON text begins like that line.
 */
const KEPT = /^(?:etag ([^\n]*)\n)?(.*)$/s

function replayed(
  { route, reply }: WritingRequest,
  { text: key, fingerprints }: RequestKey,
  before: AnsweredRequest | 'busy',
): Outcome {
  if (before === 'busy') return { error: keyInUse(key) }
  if (!fingerprints.includes(before.fingerprint)) return { error: keyOfAnother(key) }
  reply.code(before.status).header('idempotent-replayed', 'true')
  const [, etag, text = ''] = KEPT.exec(before.body) ?? []
  if (etag !== undefined) reply.header('etag', etag)
  const kept: unknown = JSON.parse(text)
  return { answer: route.replay ? route.replay(kept) : kept }
}
