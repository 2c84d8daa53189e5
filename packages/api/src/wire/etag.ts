/** Versions as ETags: a change may say which version it was made for. */
import { PunctualError } from '@punctual/core/errors'
import type { FastifyRequest } from 'fastify'

export function etagOf(version: number): string {
  return `"${version}"`
}

/** What a request expects of what it changes. */
export interface Expected {
  /** That there is one: this version, or any. */
  readonly there?: number | 'any'
  /** That there is none. */
  readonly absent?: true
}

/** What `If-Match` and `If-None-Match` say. */
export function expectedOf({ headers }: FastifyRequest): Expected {
  const { 'if-match': match, 'if-none-match': none } = headers
  if (none !== undefined && none !== '*')
    refuse('If-None-Match', 'be *, which expects that there is none', none)
  return {
    ...(match !== undefined && { there: match === '*' ? 'any' : numberOf(match) }),
    ...(none !== undefined && { absent: true }),
  }
}

/** The version that `If-Match` names; undefined when any will do. */
export function versionOf(request: FastifyRequest): number | undefined {
  const { there } = expectedOf(request)
  return there === 'any' ? undefined : there
}

function numberOf(etag: string): number {
  const [, version] = /^"(\d{1,9})"$/.exec(etag) ?? []
  return version === undefined
    ? refuse('If-Match', 'be an ETag of this API such as "3", or *', etag)
    : Number(version)
}

function refuse(field: string, must: string, came: string): never {
  const message = `${field} must ${must}; got ${JSON.stringify(came.slice(0, 80))}.`
  throw new PunctualError('invalid_option', message, { field })
}
