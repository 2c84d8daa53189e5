/**
 * Reads bodies without losing or changing anything: numbers that JavaScript cannot hold, duplicate
 * names, text that PostgreSQL cannot store and values that are nested too deeply are refused, each
 * with a specific code.
 */
import { checkJsonText } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import type { FastifyInstance } from 'fastify'

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch (cause) {
    throw new PunctualError('invalid_payload', 'The body is not UTF-8.', { field: 'body', cause })
  }
}

function lines(text: string): string[] {
  const all = text.split('\n').map((line) => line.trim())
  return all.filter((line) => line !== '')
}

/** The value of each line, or its error. */
export function readLines(text: string, lineBytesMax: number): readonly unknown[] {
  const found = lines(text)
  if (found.length > limits.batchSize)
    throw new PunctualError(
      'invalid_option',
      `A request takes at most ${limits.batchSize} lines; got ${found.length}. Send them in several requests.`,
      { field: 'body' },
    )
  return found.map((line, i) => {
    const value = readLine(line, 'line', lineBytesMax)
    // The line number is only formatted for invalid lines: they are rare, and lines are many.
    return value instanceof Error ? readLine(line, `[${i}]`, lineBytesMax) : value
  })
}

function readLine(line: string, field: string, bytesMax: number): unknown {
  try {
    return checkJsonText(line, field, bytesMax, false)
  } catch (error) {
    return error
  }
}

/** Compressed bodies are refused: a few bytes can unpack to gigabytes. */
function refuseEncoding(encoding: string): never {
  const message = `Content-Encoding must be identity; got ${JSON.stringify(encoding.slice(0, 80))}. Send the body uncompressed.`
  throw Object.assign(new Error(message), { statusCode: 415 })
}

export function addBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addHook('preParsing', async ({ headers }) => {
    const { 'content-encoding': encoding = 'identity' } = headers
    if (encoding.toLowerCase() !== 'identity') refuseEncoding(encoding)
  })
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: unknown, bytes: Buffer) => {
      if (bytes.length === 0) return undefined
      return checkJsonText(decode(bytes), 'body', Number.MAX_SAFE_INTEGER)
    },
  )
  app.addContentTypeParser(
    ['application/x-ndjson', 'application/jsonl'],
    { parseAs: 'buffer' },
    async (_: unknown, bytes: Buffer) => decode(bytes),
  )
}
