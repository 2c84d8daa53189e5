/** How the API is reached: what users say, and what it comes to. Defaults are applied here and nowhere else. */

/** As `fetch` of Node and browsers. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ClientOptions {
  /** Where the API is, such as `https://punctual.example`; of several, the next is asked when one does not answer. */
  readonly url: string | readonly string[]
  /** `pk_…`, or what gives it: asked before every request. @default none, for a server without authentication */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** The tenant to act for, with a key of the installation. @default that of the key */
  readonly tenant?: string | undefined
  /** How long one attempt may take. @default 30000 */
  readonly timeoutMs?: number | undefined
  /** How often a request is sent again, to each address. @default 4 */
  readonly retries?: number | undefined
  /** The most that is waited before the first retry; it doubles up to 10 s. @default 250 */
  readonly retryDelayMs?: number | undefined
  /** @default that of the platform */
  readonly fetch?: Fetch | undefined
}

export interface CompiledOptions {
  /** Without a slash at the end. */
  readonly urls: readonly string[]
  readonly apiKey: () => string | undefined | Promise<string>
  readonly tenant: string | undefined
  readonly timeoutMs: number
  readonly retries: number
  readonly retryDelayMs: number
  readonly fetch: Fetch
}

function urlOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null
  const wrong =
    url === null || !/^https?:$/.test(url.protocol)
      ? 'is not an http or https address'
      : url.username !== '' || url.password !== ''
        ? 'holds a name or a password: give the key as apiKey'
        : url.search !== '' || url.hash !== ''
          ? 'has more than an address and a path'
          : null
  // The address is not shown: it may hold a password.
  if (url === null || wrong !== null) throw new TypeError(`url ${wrong}.`)
  return url.href.replace(/\/+$/, '')
}

function whole(name: string, value: number, minimum: number): number {
  if (Number.isInteger(value) && value >= minimum) return value
  throw new TypeError(`${name} must be an integer from ${minimum}; got ${value}.`)
}

export function compileOptions(options: ClientOptions): CompiledOptions {
  const { url, apiKey, tenant, timeoutMs = 30_000, retries = 4, retryDelayMs = 250 } = options
  const urls = [url].flat().map(urlOf)
  if (urls.length === 0) throw new TypeError('url must name at least one address.')
  return {
    urls,
    apiKey: typeof apiKey === 'function' ? apiKey : () => apiKey,
    tenant,
    timeoutMs: whole('timeoutMs', timeoutMs, 1),
    retries: whole('retries', retries, 0),
    retryDelayMs: whole('retryDelayMs', retryDelayMs, 0),
    // Browsers want it called on the global object.
    fetch: options.fetch ?? ((to, init) => globalThis.fetch(to, init)),
  }
}
