/**
 * The open event streams, counted by API key and by tenant: each has a limit, and all end with the
 * server.
 */
import { defaults, limits, PunctualError } from '@punctual/core/errors'
import { InFlight } from '../shares/in-flight.ts'

/** When a stream sends heartbeats, and when it is closed. */
export interface StreamSettings {
  /** The silence after which a comment shows that the stream is alive. */
  readonly heartbeatMs: number
  /** How long a reader may read nothing before its stream is closed. */
  readonly stallMs: number
  /** How often the API key is checked again. */
  readonly recheckMs: number
  /** The streams that all keys of a tenant may have open. */
  readonly streamsPerTenant: number
}

/** Who opens a stream. */
interface StreamCaller {
  readonly keyId: string
  /** Null for keys of the installation, which have no limit of a tenant. */
  readonly tenantId: number | null
}

const streamDefaults: StreamSettings = {
  heartbeatMs: 15_000,
  stallMs: 30_000,
  recheckMs: 2_000,
  streamsPerTenant: defaults.tenantStreams,
}

export class OpenStreams {
  readonly settings: StreamSettings
  /** The functions that end the streams, by key. */
  readonly #open = new Map<string, Set<() => void>>()
  readonly #ofTenants = new InFlight()

  constructor(settings: Partial<StreamSettings> = {}) {
    this.settings = { ...streamDefaults, ...settings }
  }

  /** The number of open streams. */
  get size(): number {
    return [...this.#open.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /**
   * Counts a stream, which `end` closes when the server stops. Returns a function that releases it.
   * @throws `PunctualError` with `too_many_streams`
   */
  admit({ keyId, tenantId }: StreamCaller, end: () => void): () => void {
    const { streamsPerTenant } = this.settings
    const open = this.#open.get(keyId) ?? new Set()
    if (open.size >= limits.streamsPerKey)
      throw new PunctualError(
        'too_many_streams',
        `This key has ${open.size} streams open here, which is its limit. Close one, or read several things from one stream.`,
        { id: keyId },
      )
    const releaseTenant = this.#ofTenants.take(tenantId, streamsPerTenant)
    if (releaseTenant === null)
      throw new PunctualError(
        'too_many_streams',
        `The keys of the tenant have ${streamsPerTenant} streams open here, which is its limit. Close one, or read several things from one stream.`,
        { id: keyId },
      )
    open.add(end)
    this.#open.set(keyId, open)
    return () => {
      releaseTenant()
      open.delete(end)
      if (open.size === 0 && this.#open.get(keyId) === open) this.#open.delete(keyId)
    }
  }

  close(): void {
    for (const ends of [...this.#open.values()]) for (const end of [...ends]) end()
  }
}
