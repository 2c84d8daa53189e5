/** Names of HTTP headers: which are valid, and which a target must not set. */

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/

export function isHeaderName(name: string): boolean {
  return TOKEN.test(name)
}

/**
 * Headers that describe the connection or the length of the body: a second opinion on them lets one
 * request be read as two. The others are the worker's own statements about the run.
 */
const RESERVED: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'host', 'http2-settings', 'keep-alive'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['expect', 'accept-encoding', 'idempotency-key'],
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  ...['punctual-run', 'punctual-attempt', 'punctual-fence', 'punctual-slot', 'punctual-job'],
  ...['punctual-callback-url', 'punctual-callback-token'],
])

export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name.toLowerCase())
}
