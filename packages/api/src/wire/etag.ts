/** Versions as ETags: a change may name the version it was made for. */
import { PunctualError } from '@punctual/core/errors'
import type { FastifyRequest } from 'fastify'

export function etagOf(version: number): string {
  return `"${version}"`
}

/** The state that a request expects of the resource it changes. */
export interface Expected {
  /** It exists: with this version, or with any. */
  readonly present?: number | 'any'
  /** It does not exist. */
  readonly absent?: true
}

/** Reads `If-Match` and `If-None-Match`. */
export function expectedOf({ headers }: FastifyRequest): Expected {
  const { 'if-match': match, 'if-none-match': none } = headers
  if (none !== undefined && none !== '*')
    refuse('If-None-Match', 'be *, which expects that none exists', none)
  return {
    ...(match !== undefined && { present: match === '*' ? 'any' : numberOf(match) }),
    ...(none !== undefined && { absent: true }),
  }
}

/** The version that `If-Match` names; undefined when it names none. */
export function versionOf(request: FastifyRequest): number | undefined {
  const { present } = expectedOf(request)
  return present === 'any' ? undefined : present
}

function numberOf(etag: string): number {
  const [, version] = /^"(\d{1,9})"$/.exec(etag) ?? []
  return version === undefined
    ? refuse('If-Match', 'be an ETag of this API such as "3", or *', etag)
    : Number(version)
}

function refuse(field: string, must: string, received: string): never {
  const message = `${field} must ${must}; got ${JSON.stringify(received.slice(0, 80))}.`
  throw new PunctualError('invalid_option', message, { field })
}
