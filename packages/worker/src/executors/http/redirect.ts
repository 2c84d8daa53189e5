/**
 * Follows a redirect within the origin of the request. Another origin never gets the headers, the
 * body and the signature that were made for this one.
 */
import type { Exchanged } from './exchange.ts'
import type { HttpRequest } from './request.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Returns the request that the answer asks for; null when it must not be sent. */
export function followed(
  { status, headers }: Extract<Exchanged, { readonly kind: 'answered' }>,
  request: HttpRequest,
): HttpRequest | null {
  const { location } = headers
  if (!REDIRECTS.has(status) || typeof location !== 'string') return null
  if (!URL.canParse(location, request.url.href)) return null
  const url = new URL(location, request.url)
  if (url.origin !== request.url.origin) return null
  // Clients repeat the request unchanged after 307 and 308 only.
  if (status >= 307 || request.method === 'GET' || request.method === 'HEAD')
    return { ...request, url }
  const { 'content-type': _, 'webhook-signature': __, ...others } = request.headers
  return { method: 'GET', url, headers: others, body: null }
}
