/**
 * The proxies whose `X-Forwarded-*` headers are believed. A client can send such headers, too, and
 * proxies append to what they receive: only the part that a trusted proxy wrote may be used.
 */

/**
 * `false`: none. A number: this many proxies, counted from this process; the peer that connects
 * is one of them. A list: the proxies with these addresses or in these CIDR ranges.
 */
export type TrustedProxies = false | number | readonly string[]

/** The setting in Fastify's form, which trusts nobody when it is given a number. */
export function trusting(
  proxies: TrustedProxies,
): false | string[] | ((address: string, hop: number) => boolean) {
  if (proxies === false) return false
  return typeof proxies === 'number' ? (_, hop) => hop < proxies : [...proxies]
}
