/** A request's name in logs and answers: the caller's own when it is harmless, otherwise a new one. */
const HARMLESS = /^[\w.:-]{1,128}$/

export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && HARMLESS.test(header) ? header : crypto.randomUUID()
}
