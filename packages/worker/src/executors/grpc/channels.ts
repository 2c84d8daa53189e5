/**
 * Connections to gRPC servers, shared by calls with the same address, credentials and tenant. The
 * name of a host is resolved here, and the connection uses the address that was checked, so that a
 * second answer of DNS cannot lead elsewhere. A connection is replaced after a minute for that.
 */
import { isIP } from 'node:net'
import type { Client } from '@grpc/grpc-js'
import type { EgressRules } from '../egress/egress-rules.ts'
import { EgressRefused, refusedAddress } from '../egress/guarded-lookup.ts'
import type { ExecutorServices } from '../executor-services.ts'
import type { Grpc } from './load-grpc.ts'

const FRESH_MS = 60_000
const CHANNELS_MAX = 100

export interface Certificates {
  readonly ca: string | null
  readonly cert: string | null
  readonly key: string | null
}

export interface Wanted {
  readonly tenantId: number
  readonly address: string
  /** Null: not encrypted. */
  readonly tls: Certificates | null
  readonly responseBytes: number
  readonly rules: EgressRules
}

interface Kept {
  readonly client: Client
  readonly openedMs: number
  calls: number
  retired: boolean
}

export class Channels {
  readonly #services: ExecutorServices
  readonly #grpc: Grpc
  readonly #kept = new Map<string, Kept>()

  constructor(services: ExecutorServices, grpc: Grpc) {
    this.#services = services
    this.#grpc = grpc
  }

  /** Calls `work` with a connection. @throws `EgressRefused`, or the error of DNS */
  async use<T>(wanted: Wanted, work: (client: Client) => Promise<T>): Promise<T> {
    const kept = await this.#take(wanted)
    kept.calls++
    try {
      return await work(kept.client)
    } finally {
      kept.calls--
      if (kept.retired && kept.calls === 0) kept.client.close()
    }
  }

  close(): void {
    for (const { client } of this.#kept.values()) client.close()
    this.#kept.clear()
  }

  async #take(wanted: Wanted): Promise<Kept> {
    const { tenantId, address, tls, responseBytes } = wanted
    const key = JSON.stringify([tenantId, address, tls, responseBytes])
    const found = this.#kept.get(key)
    if (found && this.#services.clock.monotonicMs() - found.openedMs < FRESH_MS) return found
    const client = await this.#open(wanted)
    const kept: Kept = {
      client,
      openedMs: this.#services.clock.monotonicMs(),
      calls: 0,
      retired: false,
    }
    this.#retire(key)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= CHANNELS_MAX && oldest !== undefined) this.#retire(oldest)
    this.#kept.set(key, kept)
    return kept
  }

  #retire(key: string): void {
    const kept = this.#kept.get(key)
    if (!kept) return
    this.#kept.delete(key)
    kept.retired = true
    if (kept.calls === 0) kept.client.close()
  }

  async #open({ address, rules, tls, responseBytes }: Wanted): Promise<Client> {
    const at = address.lastIndexOf(':')
    const host = address.slice(0, at).replace(/^\[|\]$/g, '')
    const port = Number(address.slice(at + 1))
    const checked = await this.#resolve(host, port, rules)
    return new this.#grpc.Client(checked, this.#credentials(tls), {
      'grpc.default_authority': address,
      ...(isIP(host) === 0 && { 'grpc.ssl_target_name_override': host }),
      // The variables of this process must not lead calls through a proxy.
      'grpc.enable_http_proxy': 0,
      // The run is retried, not the call.
      'grpc.enable_retries': 0,
      'grpc.max_receive_message_length': responseBytes,
      'grpc.use_local_subchannel_pool': 1,
    })
  }

  async #resolve(host: string, port: number, rules: EgressRules): Promise<string> {
    if (!rules.allowsPort(host, port))
      throw new EgressRefused(
        `The call to port ${port} of ${host} is refused: 80, 443, 8080 and 8443 are open to targets. The operator opens others with --egress-allow (PUNCTUAL_EGRESS_ALLOW).`,
      )
    const addresses = await new Promise<readonly { address: string; family: number }[]>(
      (resolve, reject) =>
        this.#services.resolve(host, (error, found) => (error ? reject(error) : resolve(found))),
    )
    const wrong = addresses.find(({ address }) => !rules.allowsAddress(host, address, port))
    if (wrong) throw refusedAddress(host, wrong.address)
    const [first] = addresses
    if (!first) throw new Error(`${host} has no address`)
    return first.family === 6 ? `ipv6:[${first.address}]:${port}` : `ipv4:${first.address}:${port}`
  }

  #credentials(tls: Certificates | null) {
    const { credentials } = this.#grpc
    if (tls === null) return credentials.createInsecure()
    const pem = (text: string | null) => (text === null ? null : Buffer.from(text))
    const ca = tls.ca ?? this.#services.ca ?? null
    return credentials.createSsl(pem(ca), pem(tls.key), pem(tls.cert))
  }
}
