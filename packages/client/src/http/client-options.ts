/** The options of a client, and their compiled form. Defaults are applied here and nowhere else. */

/** The `fetch` of Node and browsers. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ClientOptions {
  /**
   * The address of the API, such as `https://punctual.example`; with several, the next one is tried
   * when one fails.
   */
  readonly url: string | readonly string[]
  /**
   * `punctual_…`, or a function that returns it, called before every request. @default none, for a
   * server without authentication
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** The tenant to act for, with a key of the installation. @default the tenant of the key */
  readonly tenant?: string | undefined
  /** The time limit of one attempt. @default 30000 */
  readonly timeoutMs?: number | undefined
  /** How often a request is repeated, at each address. @default 4 */
  readonly retries?: number | undefined
  /** The longest delay before the first retry; it doubles up to 10 s. @default 250 */
  readonly retryDelayMs?: number | undefined
  /** @default the platform's `fetch` */
  readonly fetch?: Fetch | undefined
}

export interface CompiledOptions {
  /** Without a trailing slash. */
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
      ? 'must be an http or https address'
      : url.username !== '' || url.password !== ''
        ? 'must not contain a user name or password; pass the key as apiKey'
        : url.search !== '' || url.hash !== ''
          ? 'must consist of an address and a path only'
          : null
  // The address is not shown, because it may contain a password.
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
    // Browsers require it to be called on the global object.
    fetch: options.fetch ?? ((to, init) => globalThis.fetch(to, init)),
  }
}
