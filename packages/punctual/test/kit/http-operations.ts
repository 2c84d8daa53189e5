/**
 * The operations of the OpenAPI document as requests that tests can send. Attacks are generated
 * from the document, so that new routes are attacked without new test code.
 */
import { request as send } from 'node:http'
import { holdsScope, type Scope } from '@punctual/core/identity'
import type { HttpKit } from './http-kit.ts'

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly minProperties?: number
  readonly pattern?: string
  readonly const?: unknown
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

// biome-ignore lint/suspicious/noExplicitAny: the document is untyped
export type Document = any

export interface Operation {
  readonly title: string
  readonly method: string
  /** Such as `/v1/jobs/{id}`. */
  readonly path: string
  readonly scope: Scope | 'any' | 'report'
  readonly writes: boolean
  readonly params: readonly Parameter[]
  readonly query: readonly Parameter[]
  readonly body: Schema | null
  readonly contentType: string
}

/** Whether a key with this scope may call the operation. */
export function covers(held: Scope, { scope }: Operation): boolean {
  if (scope === 'any') return true
  // A key reports for a target with the scope `operate`.
  return holdsScope([held], scope === 'report' ? 'operate' : scope)
}

export function operationsOf(document: Document): Operation[] {
  return Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(([method, operation]) => {
      const parameters: readonly Parameter[] = operation.parameters ?? []
      const [content] = Object.entries<Document>(operation.requestBody?.content ?? {})
      return {
        ...{ title: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path },
        ...{ scope: operation['x-scope'], writes: operation['x-writes'] },
        params: parameters.filter((parameter) => parameter.in === 'path'),
        query: parameters.filter((parameter) => parameter.in === 'query'),
        body: content?.[1].schema ?? null,
        contentType: content?.[0] ?? 'application/json',
      }
    }),
  )
}

export async function readDocument(http: HttpKit): Promise<Document> {
  return (await http.call('GET', `${http.url}/openapi.json`)).body
}

/** The smallest value that the schema accepts. */
export function fitting(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.examples) return schema.examples[0]
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return fitting(schema.anyOf[0] as Schema)
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (type === 'object') return fittingObject(schema)
  if (type === 'array')
    return Array.from({ length: schema.minItems ?? 0 }, () => fitting(schema.items ?? {}))
  if (type === 'integer' || type === 'number')
    return schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1
  if (type === 'boolean') return false
  return 'x'.repeat(Math.max(1, schema.minLength ?? 1))
}

function fittingObject({ properties = {}, required = [], minProperties = 0 }: Schema) {
  const names = new Set(required)
  for (const name of Object.keys(properties)) if (names.size < minProperties) names.add(name)
  return Object.fromEntries([...names].map((name) => [name, fitting(properties[name] ?? {})]))
}

/** A request; omitted parts are the smallest that the document allows. */
export interface Request {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The body bytes, instead of JSON. */
  readonly raw?: string | Buffer
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly key?: string | null
  /** How long the answer may take. @default 20000 */
  readonly answerMs?: number
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member
  readonly body: any
}

function addressOf({ path, params, query }: Operation, request: Request = {}): string {
  let address = path
  for (const { name, schema } of params)
    address = address.replace(
      `{${name}}`,
      encodeURIComponent(request.params?.[name] ?? String(fitting(schema))),
    )
  const given = query
    .filter(({ name, required }) => required && request.query?.[name] === undefined)
    .map(({ name, schema }) => [name, String(fitting(schema))])
  const search = new URLSearchParams([...given, ...Object.entries(request.query ?? {})] as [])
  return search.size > 0 ? `${address}?${search}` : address
}

function textOf({ body, contentType }: Operation, request: Request): string | Buffer | undefined {
  if (request.raw !== undefined) return request.raw
  if (request.body !== undefined) return JSON.stringify(request.body)
  if (body === null) return undefined
  return contentType.includes('json') && body.type === 'string' ? '' : JSON.stringify(fitting(body))
}

/** Sends the request and reads the answer; of an open stream only its first events. */
export async function ask(
  http: HttpKit,
  operation: Operation,
  request: Request = {},
): Promise<Reply> {
  const { key = http.admin, answerMs } = request
  const { method } = operation
  const text = textOf(operation, request)
  const url = `${http.url}${addressOf(operation, request)}`
  const headers = {
    ...(key !== null && { authorization: `Bearer ${key}` }),
    ...(text !== undefined && {
      'content-type': operation.contentType,
      'content-length': String(Buffer.byteLength(text)),
    }),
    ...request.headers,
  }
  const reply = await exchange(url, method, text, headers, answerMs)
  if (reply.body !== null) http.described.check({ method, url, ...reply })
  return reply
}

const LONGEST_MS = 20_000
const STREAM_MS = 50

export function exchange(
  url: string,
  method: string,
  text: string | Buffer | undefined,
  headers: Readonly<Record<string, string | string[]>>,
  answerMs = LONGEST_MS,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(answerMs)
    const outgoing = send(url, { method, headers, signal }, (answer) => {
      const chunks: Buffer[] = []
      const done = () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = /json/.test(answer.headers['content-type'] ?? '') && text !== ''
        const body = isJson && !/ndjson/.test(String(answer.headers['content-type']))
        resolve({
          ...{ status: answer.statusCode as number, headers: answer.headers, text },
          body: body ? JSON.parse(text) : null,
        })
      }
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      if (/event-stream/.test(answer.headers['content-type'] ?? ''))
        // waits: a stream has no end, and its first events have arrived by then
        setTimeout(() => {
          done()
          outgoing.destroy()
        }, STREAM_MS)
      answer.on('end', done)
      answer.on('error', reject)
    })
    outgoing.on('error', (cause) => reject(new Error(`${method} ${url}`, { cause })))
    outgoing.end(text)
  })
}

/** Does the work for all items, with at most `atOnce` in parallel. */
export async function forEachOf<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const take = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, take))
}
