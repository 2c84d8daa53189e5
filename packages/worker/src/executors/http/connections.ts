/**
 * Keep-alive connections, in a pool for each tenant, origin and time to connect. Addresses are
 * resolved, checked and used in one step, and the address that a connection really has is checked
 * again. Variables such as HTTPS_PROXY change nothing here.
 */
import type { Clock } from '@punctual/core/clock'
import { PunctualError } from '@punctual/core/errors'
import type { Dispatcher, Pool } from 'undici'
import type { EgressRules } from '../egress/egress-rules.ts'
import { guardedLookup, portOf, type Resolve, refusedAddress } from '../egress/guarded-lookup.ts'

/** Pools that are kept; a pool without requests is closed for another one. */
const POOLS_MAX = 2_000
const KEEP_ALIVE_MS = 10_000
const HEADER_BYTES = 16_384

interface Kept {
  readonly pool: Pool
  usedMs: number
  requests: number
}

export interface ConnectionOptions {
  readonly clock: Clock
  readonly resolve: Resolve
  /** The most connections to one origin, for one tenant. */
  readonly connectionsPerOrigin: number
  /** PEM certificates that are trusted besides those of Node. */
  readonly ca?: string | undefined
}

export interface ConnectionRequest {
  readonly tenantId: number
  readonly url: URL
  readonly rules: EgressRules
  readonly connectTimeoutMs: number
}

export class Connections {
  readonly #options: ConnectionOptions
  readonly #pools = new Map<string, Kept>()

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Does the work with the connections to the origin of the URL. */
  async use<T>(
    wanted: ConnectionRequest,
    work: (dispatcher: Dispatcher) => Promise<T>,
  ): Promise<T> {
    const { tenantId, url, connectTimeoutMs } = wanted
    const key = `${tenantId} ${connectTimeoutMs} ${url.origin}`
    const kept = this.#pools.get(key) ?? (await this.#open(key, wanted))
    kept.requests++
    try {
      return await work(kept.pool)
    } finally {
      kept.requests--
      kept.usedMs = this.#options.clock.monotonicMs()
    }
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    await Promise.all(pools.map(({ pool }) => pool.destroy()))
  }

  async #open(key: string, { url, rules, connectTimeoutMs }: ConnectionRequest): Promise<Kept> {
    const { Pool, buildConnector } = await loadUndici()
    // Another request may have opened it meanwhile.
    const known = this.#pools.get(key)
    if (known) return known
    this.#makeRoom()
    const { clock, resolve, connectionsPerOrigin, ca } = this.#options
    const port = portOf(url)
    const connect = buildConnector({
      timeout: connectTimeoutMs,
      allowH2: false,
      lookup: guardedLookup(rules, port, resolve),
      ...(ca !== undefined && { ca }),
    })
    const pool = new Pool(url.origin, {
      connections: connectionsPerOrigin,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADER_BYTES,
      connect: (options, callback) =>
        connect(options, (error, socket) => {
          const address = socket?.remoteAddress
          if (error || !socket) callback(error ?? new Error('No connection.'), null)
          else if (address !== undefined && !rules.allowsAddress(url.hostname, address, port)) {
            socket.destroy()
            callback(refusedAddress(url.hostname, address), null)
          } else callback(null, socket)
        }),
    })
    const kept = { pool, usedMs: clock.monotonicMs(), requests: 0 }
    this.#pools.set(key, kept)
    return kept
  }

  /** Closes the pool that has been idle for longest. */
  #makeRoom(): void {
    if (this.#pools.size < POOLS_MAX) return
    let oldest: readonly [string, Kept] | null = null
    for (const each of this.#pools)
      if (each[1].requests === 0 && (oldest === null || each[1].usedMs < oldest[1].usedMs))
        oldest = each
    if (oldest === null) return
    this.#pools.delete(oldest[0])
    void oldest[1].pool.destroy().catch(() => undefined)
  }
}

/** Loaded at the first request: most processes never send one. */
async function loadUndici(): Promise<typeof import('undici')> {
  try {
    return await import('undici')
  } catch (cause) {
    throw new PunctualError(
      'package_missing',
      'Targets of the kind http need the package undici. Install it: npm install undici@7.30.2',
      { cause },
    )
  }
}
