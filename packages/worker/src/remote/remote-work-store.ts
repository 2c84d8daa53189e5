/**
 * The work store over HTTP: a Punctual server answers the worker's requests. The server checks
 * fences as the database does, so the worker needs no changes: a lost answer is an error, after
 * which the worker looks for leases it does not know.
 */
import { limits, PunctualError } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import type {
  ClaimRequest,
  ClaimResult,
  Fence,
  LaneWithRuns,
  LaneYield,
  LogEntry,
  SessionAnnouncement,
  SessionDescription,
  Settlement,
  WorkStore,
} from '@punctual/core/ports'
import { readRun, type WireRun, writeOutcome } from '@punctual/core/wire'
import type { PunctualServer } from './http.ts'

/** How long a request that is safe to repeat is repeated. */
const RETRY_MS = 10_000
/** The most bytes of outcomes in one request; a larger outcome is sent alone. */
const SETTLE_BYTES = 8_388_608
/** The answers that one search for strays reads; the next search finds the others. */
const STRAY_ANSWERS_MAX = 100
const levels = ['debug', 'info', 'warn', 'error'] as const

interface WireLane {
  readonly id: number
  readonly tenant_id: number
  readonly queue: string
  readonly handler: string
  readonly priority: number
  readonly weight: number
  readonly ageing_ms: number | null
}

interface WireClaim {
  readonly runs: readonly WireRun[]
  readonly more: boolean
  readonly next_due_in_ms: number | null
  readonly gave: readonly LaneYield[]
}

interface Results {
  readonly results: readonly { readonly run_id: string; readonly accepted: boolean }[]
}

const wire = ({ id, fence }: Fence) => ({ run_id: id, fence: fence.toString() })
const acceptedIn = ({ results }: Results) =>
  new Set(results.filter((result) => result.accepted).map((result) => result.run_id))

/** The session is gone, and with it all its leases. */
const isGone = (error: unknown): boolean =>
  error instanceof PunctualError && error.code === 'session_not_found'

export class RemoteWorkStore implements WorkStore {
  readonly #server: PunctualServer
  /** The session that was opened last: a worker has one at a time. */
  #session = '0'
  /** The lanes that were read last. */
  #lanes: readonly number[] = []
  /** Checkpoints received with claims, until the worker reads them. */
  readonly #checkpoints = new Map<string, string>()

  constructor(server: PunctualServer) {
    this.#server = server
  }

  #send<T>(verb: string, body: object | string, retryMs = RETRY_MS): Promise<T> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.#server.send<T>({ path: `/${this.#session}/${verb}`, body: text, retryMs })
  }

  async lanes(handlers: readonly string[], queues: readonly string[]): Promise<readonly Lane[]> {
    const { lanes } = await this.#send<{ lanes: readonly WireLane[] }>('lanes', {
      handlers,
      queues,
    })
    this.#lanes = lanes.map(({ id }) => id)
    return lanes.map(({ tenant_id: tenantId, ageing_ms: ageingMs, ...lane }) => ({
      ...{ ...lane, tenantId, ageingMs },
    }))
  }

  /** Any lane may have runs: the next claim, whose answer is one request as well, shows which. */
  async lanesWithRuns(): Promise<readonly LaneWithRuns[]> {
    return this.#lanes.map((lane) => ({ lane, dueInMs: 0 }))
  }

  async openSession(session: SessionAnnouncement): Promise<void> {
    const { id, host, pid, version, handlers, queues, labels, capacity, leaseMs, drains } = session
    const wireSession = { id, host, pid, version, handlers, queues, labels, capacity }
    const body = JSON.stringify({ ...wireSession, lease_ms: leaseMs, drains: drains ?? false })
    await this.#server.send({ path: '', body, retryMs: RETRY_MS })
    this.#session = id
    this.#checkpoints.clear()
  }

  async renewSession(sessionId: string): Promise<{ readonly drains: boolean } | null> {
    try {
      return await this.#server.send<{ drains: boolean }>({
        path: `/${sessionId}/renew`,
        body: '{}',
      })
    } catch (error) {
      if (isGone(error)) return null
      throw error
    }
  }

  async describeSession(sessionId: string, description: SessionDescription): Promise<void> {
    const { state, handlers } = description
    const stuck = description.stuck.map(({ runId, handler, attempt, ranMs }) => ({
      ...{ run_id: runId, handler, attempt, ran_ms: ranMs },
    }))
    const body = JSON.stringify({ state, handlers, stuck })
    const request = { method: 'PATCH', path: `/${sessionId}`, body, retryMs: RETRY_MS } as const
    await this.#server.send(request).catch(unlessGone)
  }

  async closeSession(sessionId: string): Promise<void> {
    const request = { method: 'DELETE', path: `/${sessionId}`, retryMs: RETRY_MS } as const
    await this.#server.send(request).catch(unlessGone)
  }

  /** Sent once: if the answer is lost, the worker looks for leases it does not know. */
  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const { limit, lanes, weights, bulk } = request
    const body = { limit, lanes: lanes.map((lane) => lane.id), weights, bulk }
    const nothing = { gave: [], runs: [], more: false, nextDueInMs: null, parked: [] }
    try {
      const answer = await this.#send<WireClaim>('claim', body, 0)
      for (const { run_id, checkpoint } of answer.runs)
        if (checkpoint !== null) this.#checkpoints.set(run_id, JSON.stringify(checkpoint))
      const { more, next_due_in_ms: nextDueInMs, gave } = answer
      const runs = answer.runs.map(readRun)
      return { ...nothing, sessionAlive: true, runs, more, nextDueInMs, gave }
    } catch (error) {
      if (isGone(error)) return { ...nothing, sessionAlive: false }
      throw error
    }
  }

  async saveCheckpoint(run: Fence, state: string): Promise<boolean> {
    const body = `${JSON.stringify(wire(run)).slice(0, -1)},"state":${state}}`
    try {
      await this.#send('checkpoint', body)
      return true
    } catch (error) {
      const lost = error instanceof PunctualError && error.code === 'lease_lost'
      if (lost || isGone(error)) return false
      throw error
    }
  }

  /** The server checks that this worker owns the run before it returns the value. */
  async secret(run: Fence, name: string): Promise<string> {
    return (await this.#send<{ value: string }>('secret', { ...wire(run), name })).value
  }

  async checkpoints(runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    for (const id of runIds) {
      const state = this.#checkpoints.get(id)
      if (state !== undefined) found.set(id, state)
      this.#checkpoints.delete(id)
    }
    return found
  }

  async markStarted(runs: readonly Fence[]): Promise<ReadonlySet<string>> {
    return acceptedIn(await this.#send<Results>('start', { runs: runs.map(wire) }))
  }

  async giveBack(runs: readonly Fence[]): Promise<void> {
    for (const { id } of runs) this.#checkpoints.delete(id)
    for (let i = 0; i < runs.length; i += limits.batchSize) {
      const some = runs.slice(i, i + limits.batchSize).map(wire)
      await this.#send('give-back', { runs: some }).catch(unlessGone)
    }
  }

  async settle(_sessionId: string, settlements: readonly Settlement[]): Promise<readonly string[]> {
    const refused: string[] = []
    for (const texts of inRequests(settlements)) {
      const ids = texts.map(({ id }) => id)
      const body = `{"outcomes":[${texts.map(({ text }) => text).join(',')}]}`
      try {
        const accepted = acceptedIn(await this.#send<Results>('settle', body))
        refused.push(...ids.filter((id) => !accepted.has(id)))
      } catch (error) {
        if (!isGone(error)) throw asData(error)
        refused.push(...ids)
      }
    }
    return refused
  }

  /** An answer has as many strays as fit into it: the next one has the others. */
  async strayLeases(_sessionId: string, known: readonly bigint[]): Promise<readonly Fence[]> {
    const held = known.map(String)
    const strays: Fence[] = []
    for (let answers = 0; answers < STRAY_ANSWERS_MAX; answers++) {
      const { runs } = await this.#send<WireClaim>('claim', { limit: 0, held })
      for (const { run_id: id, fence } of runs) {
        strays.push({ id, fence: BigInt(fence) })
        held.push(fence)
      }
      if (runs.length === 0) break
    }
    return strays
  }

  /** The server does this as part of the claim. */
  async resolveParked(): Promise<void> {}

  async cancelRequests(runs: readonly Fence[]): Promise<ReadonlyMap<bigint, string | null>> {
    interface WireCancels {
      readonly cancels: readonly { readonly fence: string; readonly reason: string }[]
      readonly lost: readonly { readonly fence: string }[]
    }
    const { cancels, lost } = await this.#send<WireCancels>('renew', { runs: runs.map(wire) })
    const requests = new Map<bigint, string | null>(lost.map(({ fence }) => [BigInt(fence), null]))
    for (const { fence, reason } of cancels) requests.set(BigInt(fence), reason)
    return requests
  }

  async reportProgress(progress: readonly { run: Fence; value: string }[]): Promise<void> {
    const runs = progress.map(
      ({ run, value }) => `${JSON.stringify(wire(run)).slice(0, -1)},"value":${value}}`,
    )
    await this.#send('progress', `{"runs":[${runs.join(',')}]}`, 0)
  }

  async appendLogs(entries: readonly LogEntry[]): Promise<void> {
    const lines = entries.map(({ runId, attempt, seq, agoMs, level, message, data }) => {
      const fields = { run_id: runId, attempt, seq, ago_ms: Math.max(0, agoMs), message }
      const line = JSON.stringify({ ...fields, level: levels[level] })
      return data === null ? line : `${line.slice(0, -1)},"data":${data}}`
    })
    await this.#send('logs', `{"lines":[${lines.join(',')}]}`).catch(unlessGone)
  }

  /** The server counts the bytes, and drops lines beyond the limit. */
  async logBytes(): Promise<ReadonlyMap<string, number>> {
    return new Map()
  }
}

/**
 * A refused value is reported with the code of the database, so that the settler searches for the
 * invalid outcome.
 */
function asData(error: unknown): unknown {
  const code = error instanceof PunctualError ? error.code : ''
  const refused = /^(invalid_|payload_)/.test(code)
  return refused ? Object.assign(error as Error, { code: '22023' }) : error
}

function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error
}

/** Splits settlements into requests of limited size. */
function inRequests(settlements: readonly Settlement[]) {
  const requests: { id: string; text: string }[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const settlement of settlements) {
    const text = writeOutcome(settlement)
    const full = (requests.at(-1)?.length ?? 0) >= limits.outcomesPerSettle
    if (full || length + text.length > SETTLE_BYTES) {
      requests.push([])
      length = 0
    }
    requests.at(-1)?.push({ id: settlement.run.id, text })
    length += text.length
  }
  return requests
}
