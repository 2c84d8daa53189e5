/**
 * Without API keys the address of the caller is the only protection, and a browser on this machine
 * has that address whatever page it shows. So a request must name this machine as its host, which a
 * foreign name that was made to resolve to 127.0.0.1 (DNS rebinding) does not, and a page that sends
 * one must have come from this server.
 */
import { PunctualError } from '@punctual/core/errors'

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
const WEB_ORIGIN = /^https?:\/\/(.+)$/i
const SHOWN_LENGTH = 100

/** The part of a request that a page cannot choose: its browser sets these headers. */
interface Headers {
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

function isSameOrigin(origin: string, host: string): boolean {
  return WEB_ORIGIN.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase()
}

function shown(header: string): string {
  return JSON.stringify(header.slice(0, SHOWN_LENGTH))
}

/** @throws `PunctualError` with `origin_not_allowed` when a foreign page may have sent it. */
export function refuseForeignPages({ host = '', origin }: Headers): void {
  if (!LOOPBACK_HOST.test(host))
    throw new PunctualError(
      'origin_not_allowed',
      `Without API keys, the host must be localhost, 127.0.0.1 or [::1]; got ${shown(host)}. Use such an address, or start the server with API keys.`,
      { field: 'Host' },
    )
  if (origin !== undefined && !isSameOrigin(origin, host))
    throw new PunctualError(
      'origin_not_allowed',
      `Without API keys, pages of other origins may not send requests; got ${shown(origin)}. Send the request from a program or a proxy, or start the server with API keys.`,
      { field: 'Origin' },
    )
}
