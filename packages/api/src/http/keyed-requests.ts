/**
 * Requests under idempotency keys: the first time it is done and kept, in one transaction; after that what was kept is the
 * answer. Requests of one tenant that arrive while others are under way share a transaction, where their route can do
 * many at once, so that many callers in flight cost little more than one. When one of them is refused, each is done by
 * itself, and only that one hears of it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyReply } from 'fastify'
import type { AnsweredRequest, Service } from '../ports/service.ts'
import type { AnyRoute } from './define-route.ts'
import { keyInUse, keyOfAnother } from './idempotency.ts'
import { problemFrom } from './problem.ts'

/** Transactions of one tenant and route at once: another begins beside those under way when so many wait. */
const AT_ONCE = 4
const MANY = 16
const TOGETHER_MAX = 256

export interface KeyedRequest {
  readonly route: AnyRoute
  readonly service: Service
  readonly tenantId: number
  /** Whether it sees and writes nothing but what is of the tenant. */
  readonly walled: boolean
  readonly key: string
  /** What makes two requests the same: the first is kept, and one that was kept is any of them. */
  readonly fingerprints: readonly string[]
  readonly reply: FastifyReply
  /** What its handler is given. */
  readonly call: unknown
  /** Does it by itself. */
  work(): Promise<unknown>
}

interface Waiting {
  readonly request: KeyedRequest
  resolve(answer: unknown): void
  reject(error: unknown): void
}

interface Group {
  readonly waiting: Waiting[]
  /** Of those that wait, and of those that are under way. */
  readonly keys: Set<string>
  underWay: number
}

type Outcome = { readonly answer: unknown } | { readonly error: Error }

export class KeyedRequests {
  readonly #groups = new Map<string, Group>()
  /** What one request runs in is not what the others run in. */
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

/** Answers each of them; never rejects. */
async function answer(batch: readonly Waiting[]): Promise<void> {
  const each = () =>
    Promise.all(
      batch.map(({ request, resolve, reject }) => alone(request).then(resolve).catch(reject)),
    )
  if (batch.length === 1) return void (await each())
  const requests = batch.map(({ request }) => request)
  const { route } = requests[0] as KeyedRequest
  try {
    const all = (fresh: readonly KeyedRequest[]) =>
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

async function alone(request: KeyedRequest): Promise<unknown> {
  const [outcome] = await inTransaction([request], async () => [await request.work()])
  if (outcome && 'error' in outcome) throw outcome.error
  return outcome?.answer
}

/** Requests of one tenant: those that are new are done, and kept; the others are told what was answered before. */
function inTransaction(
  requests: readonly KeyedRequest[],
  work: (fresh: readonly KeyedRequest[]) => Promise<readonly unknown[]>,
): Promise<readonly Outcome[]> {
  const { service, tenantId, walled } = requests[0] as KeyedRequest
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
  const fingerprint = fingerprints[0] as string
  const { statusCode: status } = reply
  const kept = route.keep && answer !== undefined ? route.keep(answer) : answer
  const text = JSON.stringify(kept ?? null)
  const etag = reply.getHeader('etag')
  return { key, fingerprint, status, body: etag === undefined ? text : `etag ${etag}\n${text}` }
}

/** What was answered, behind a line with its ETag where it had one; no JSON begins like that line. */
const KEPT = /^(?:etag ([^\n]*)\n)?(.*)$/s

function replayed(request: KeyedRequest, before: AnsweredRequest | 'busy'): Outcome {
  const { route, key, fingerprints, reply } = request
  if (before === 'busy') return { error: keyInUse(key) }
  if (!fingerprints.includes(before.fingerprint)) return { error: keyOfAnother(key) }
  reply.code(before.status).header('idempotent-replayed', 'true')
  const [, etag, text] = KEPT.exec(before.body) as RegExpExecArray
  if (etag !== undefined) reply.header('etag', etag)
  const kept = JSON.parse(text as string) as unknown
  return { answer: route.replay ? route.replay(kept) : kept }
}
