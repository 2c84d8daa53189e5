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
import type { AnyRoute } from './define-route.ts'
import { keyInUse, keyOfAnother } from './idempotency.ts'
import { problemFrom } from './problem.ts'

/**
 * Concurrent transactions of one tenant and route; a further one begins when `MANY` requests wait.
 */
const AT_ONCE = 4
const MANY = 16
const TOGETHER_MAX = 256

export interface WritingRequest {
  readonly route: AnyRoute
  readonly service: Service
  readonly tenantId: number
  /** Whether row security restricts the request to the rows of its tenant. */
  readonly walled: boolean
  /** The idempotency key; null when it has none. */
  readonly key: string | null
  /** The first is stored; a stored one that equals any of them is the same request. */
  readonly fingerprints: readonly string[]
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
  readonly #groups = new Map<string, Group>()
  /** Runs a batch outside the async context of the request that started it. */
  readonly #apart = AsyncLocalStorage.snapshot()

  async perform(request: WritingRequest): Promise<unknown> {
    const { route, tenantId, walled, key } = request
    if (!route.handleAll) return alone(request)
    const name = `${tenantId} ${walled} ${route.path}`
    const group = this.#groups.get(name) ?? { waiting: [], keys: new Set(), underWay: 0 }
    if (key !== null && group.keys.has(key)) throw keyInUse(key)
    this.#groups.set(name, group)
    return new Promise((resolve, reject) => {
      if (key !== null) group.keys.add(key)
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
        for (const { request } of batch) if (request.key !== null) group.keys.delete(request.key)
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
  if (batch.length === 1) return void (await each())
  const requests = batch.map(({ request }) => request)
  const { route } = requests[0] as WritingRequest
  try {
    const all = (fresh: readonly WritingRequest[]) =>
      route.handleAll?.(fresh.map(({ call }) => call)) as Promise<readonly unknown[]>
    const outcomes = await inTransaction(requests, all)
    for (const [i, outcome] of outcomes.entries())
      if ('error' in outcome) batch[i]?.reject(outcome.error)
      else batch[i]?.resolve(outcome.answer)
  } catch (error) {
    if (problemFrom(error, '').status < 500) await each()
    else for (const { reject } of batch) reject(error)
  }
}

async function alone(request: WritingRequest): Promise<unknown> {
  const [outcome] = await inTransaction([request], async () => [await request.work()])
  if (outcome && 'error' in outcome) throw outcome.error
  return outcome?.answer
}

/**
 * For requests of one tenant: does the new ones, and stores the answers of those with a key; repeated
 * ones get their stored answers.
 */
function inTransaction(
  requests: readonly WritingRequest[],
  work: (fresh: readonly WritingRequest[]) => Promise<readonly unknown[]>,
): Promise<readonly Outcome[]> {
  const { service, tenantId, walled } = requests[0] as WritingRequest
  const transaction = () =>
    service.transaction(async () => {
      const known = await earlierAnswers(service, tenantId, requests.filter(isKeyed))
      const fresh = requests.filter((request) => !known.has(request))
      const answers = fresh.length > 0 ? await work(fresh) : []
      const answerOf = new Map(fresh.map((request, i) => [request, answers[i]]))
      const kept = fresh.filter(isKeyed).map((request) => keptOf(request, answerOf.get(request)))
      if (kept.length > 0) await service.requests.answered(tenantId, kept)
      return requests.map((request): Outcome => {
        const before = known.get(request)
        return before ? replayed(request, before) : { answer: answerOf.get(request) }
      })
    })
  return walled ? service.asTenant(tenantId, transaction) : transaction()
}

type Keyed = WritingRequest & { readonly key: string }
type Earlier = AnsweredRequest | 'busy'

const isKeyed = (request: WritingRequest): request is Keyed => request.key !== null

/** Locks the keys of the requests; returns those whose key was used before. */
async function earlierAnswers(
  { requests }: Service,
  tenantId: number,
  keyed: readonly Keyed[],
): Promise<ReadonlyMap<WritingRequest, Earlier>> {
  const earlier = new Map<WritingRequest, Earlier>()
  if (keyed.length === 0) return earlier
  const keys = keyed.map(({ key }) => key)
  for (const [i, answer] of (await requests.take(tenantId, keys)).entries())
    if (answer !== null) earlier.set(keyed[i] as Keyed, answer)
  return earlier
}

function keptOf({ route, key, fingerprints, reply }: Keyed, answer: unknown) {
  const fingerprint = fingerprints[0] as string
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

function replayed(request: WritingRequest, before: Earlier): Outcome {
  const { route, fingerprints, reply } = request
  const key = String(request.key)
  if (before === 'busy') return { error: keyInUse(key) }
  if (!fingerprints.includes(before.fingerprint)) return { error: keyOfAnother(key) }
  reply.code(before.status).header('idempotent-replayed', 'true')
  const [, etag, text] = KEPT.exec(before.body) as RegExpExecArray
  if (etag !== undefined) reply.header('etag', etag)
  const kept = JSON.parse(text as string) as unknown
  return { answer: route.replay ? route.replay(kept) : kept }
}
