/** Versions as ETags: a change may say which version it was made for. */
import { PunctualError } from '@punctual/core'
import type { FastifyRequest } from 'fastify'

export function etagOf(version: number): string {
  return `"${version}"`
}

/** The version that `If-Match` names; undefined when any will do. */
export function versionOf(request: FastifyRequest): number | undefined {
  const given = request.headers['if-match']
  if (given === undefined || given === '*') return undefined
  const [, version] = /^"(\d{1,9})"$/.exec(given) ?? []
  if (version !== undefined) return Number(version)
  throw new PunctualError(
    'invalid_option',
    `If-Match must be an ETag of this API such as "3", but ${JSON.stringify(given.slice(0, 80))} came.`,
    { field: 'If-Match' },
  )
}
