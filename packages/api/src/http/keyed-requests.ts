/**
 * Requests with idempotency keys. The first request under a key is done and its answer stored, in
 * one transaction; later ones get the stored answer. When the route can handle many calls at once,
 * requests of one tenant that arrive while others are in progress share a transaction, so that many
 * concurrent callers cost little more than one. When one request of a batch is refused, each is
 * done separately, and only that one gets the error.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyReply } from 'fastify'
import type { AnsweredRequest, Service } from '../ports/service.ts'
import type { AnyRoute } from './define-route.ts'
import { keyInUse, keyOfAnother } from './idempotency.ts'
import { problemFrom } from './problem.ts'

/**
 * Concurrent transactions of one tenant and route; a further one begins when `MANY` requests wait.
 */
const AT_ONCE = 4
const MANY = 16
const TOGETHER_MAX = 256

export interface KeyedRequest {
  readonly route: AnyRoute
  readonly service: Service
  readonly tenantId: number
  /** Whether row security restricts the request to the rows of its tenant. */
  readonly walled: boolean
  readonly key: string
  /** The first is stored; a stored one that equals any of them is the same request. */
  readonly fingerprints: readonly [string, ...string[]]
  readonly reply: FastifyReply
  /** The argument of the handler. */
  readonly call: unknown
  /** Does the request separately. */
  work(): Promise<unknown>
}

interface Waiting {
  readonly request: KeyedRequest
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

export class KeyedRequests {
  readonly #groups = new Map<string, Group>()
  /** Runs a batch outside the async context of the request that started it. */
  readonly #apart = AsyncLocalStorage.snapshot()

  async perform(request: KeyedRequest): Promise<unknown> {
    const { route, tenantId, walled, key } = request
    if (!route.handleAll) return alone(request)
    const name = `${tenantId} ${walled} ${route.path}`
    const group = this.#groups.get(name) ?? { waiting: [], keys: new Set(), underWay: 0 }
    if (group.keys.has(key)) throw keyInUse(key)
    this.#groups.set(name, group)
    return new Promise((resolve, reject) => {
      group.keys.add(key)
      group.waiting.push({ request, resolve, reject })
      this.#pump(name, group)
    })
  }

  #pump(name: string, group: Group): void {
    while (mayBegin(group)) {
      const batch = group.waiting.splice(0, TOGETHER_MAX)
      group.underWay++
      void this.#apart(async () => {
        await answer(batch)
        for (const { request } of batch) group.keys.delete(request.key)
        group.underWay--
        if (group.keys.size === 0) this.#groups.delete(name)
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
  try {
    const requests = batch.map(({ request }) => request)
    const tenant = first.service.tenant(first.tenantId)
    const outcomes = await inTransaction(first, requests, (fresh) =>
      handleAll(
        tenant,
        fresh.map(({ call }) => call),
      ),
    )
    for (const [i, outcome] of outcomes.entries())
      if ('error' in outcome) batch[i]?.reject(outcome.error)
      else batch[i]?.resolve(outcome.answer)
  } catch (error) {
    if (problemFrom(error, '').status < 500) await each()
    else for (const { reject } of batch) reject(error)
  }
}

async function alone(request: KeyedRequest): Promise<unknown> {
  const [outcome] = await inTransaction(request, [request], async () => [await request.work()])
  if (outcome && 'error' in outcome) throw outcome.error
  return outcome?.answer
}

/**
 * For requests of one tenant: does and stores the new ones; the others get their stored answers.
 */
function inTransaction(
  { service, tenantId, walled }: Pick<KeyedRequest, 'service' | 'tenantId' | 'walled'>,
  requests: readonly KeyedRequest[],
  work: (fresh: readonly KeyedRequest[]) => Promise<readonly unknown[]>,
): Promise<readonly Outcome[]> {
  const transaction = () =>
    service.transaction(async () => {
      const known = await service.requests.take(
        tenantId,
        requests.map(({ key }) => key),
      )
      const fresh = requests.filter((_, i) => known[i] === null)
      const answers = fresh.length > 0 ? await work(fresh) : []
      const kept = fresh.map((request, i) => keptOf(request, answers[i]))
      if (kept.length > 0) await service.requests.answered(tenantId, kept)
      const answerOf = new Map(fresh.map((request, i) => [request, answers[i]]))
      return requests.map((request, i): Outcome => {
        const before = known[i]
        return before ? replayed(request, before) : { answer: answerOf.get(request) }
      })
    })
  return walled ? service.asTenant(tenantId, transaction) : transaction()
}

function keptOf({ route, key, fingerprints, reply }: KeyedRequest, answer: unknown) {
  const [fingerprint] = fingerprints
  const { statusCode: status } = reply
  const kept = route.keep && answer !== undefined ? route.keep(answer) : answer
  const text = JSON.stringify(kept ?? null)
  const etag = reply.getHeader('etag')
  return { key, fingerprint, status, body: etag === undefined ? text : `etag ${etag}\n${text}` }
}

/**
 * The stored answer, after a line with its ETag if it had one; no JSON text begins like that line.
 */
const KEPT = /^(?:etag ([^\n]*)\n)?(.*)$/s

function replayed(request: KeyedRequest, before: AnsweredRequest | 'busy'): Outcome {
  const { route, key, fingerprints, reply } = request
  if (before === 'busy') return { error: keyInUse(key) }
  if (!fingerprints.includes(before.fingerprint)) return { error: keyOfAnother(key) }
  reply.code(before.status).header('idempotent-replayed', 'true')
  const [, etag, text = ''] = KEPT.exec(before.body) ?? []
  if (etag !== undefined) reply.header('etag', etag)
  const kept: unknown = JSON.parse(text)
  return { answer: route.replay ? route.replay(kept) : kept }
}
