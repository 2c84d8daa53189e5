/**
 * The id of a request in logs and answers: the one the caller sent when it is safe, else a new one.
 */
const HARMLESS = /^[\w.:-]{1,128}$/

export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && HARMLESS.test(header) ? header : crypto.randomUUID()
}
