/** A unary method of a service, and requests to it from JSON. */

import type { MethodDefinition } from '@grpc/proto-loader'
import type { GrpcTarget } from '@punctual/core/target'
import { PreparationError } from '../failed.ts'
import type { ProtoLoader } from './load-grpc.ts'
import { convertMaps, type FindShape, type MessageShape } from './map-fields.ts'

/** The JSON form of messages: large integers, enums and bytes are strings. */
const JSON_FORM = {
  keepCase: true,
  longs: String,
  enums: String,
  bytes: String,
  defaults: true,
  oneofs: false,
} as const

type Definition = ReturnType<ProtoLoader['fromJSON']>
type Method = MethodDefinition<object, object>

export interface UnaryMethod {
  readonly path: string
  encode(message: object): Buffer
  /** Reads a request as the service does. */
  decodeRequest(encoded: Buffer): unknown
  decode(encoded: Buffer): unknown
}

type Wanted = Pick<GrpcTarget, 'service' | 'method'>

/** Finds the method in a `FileDescriptorSet`. */
export function findMethod(loader: ProtoLoader, set: Buffer, wanted: Wanted): UnaryMethod {
  const { service, method } = wanted
  const definition = loader.loadFileDescriptorSetFromBuffer(set, JSON_FORM)
  const found = definition[service]
  if (!found || 'format' in found)
    throw new PreparationError(
      'grpc_unknown_method',
      `The descriptor has no service ${service}. It has ${servicesOf(definition)}.`,
    )
  const methods: Readonly<Record<string, Method>> = { ...found } as never
  const chosen = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!chosen)
    throw new PreparationError(
      'grpc_unknown_method',
      `The service ${service} has no method ${method}. It has ${Object.keys(methods).join(', ')}.`,
    )
  if (chosen.requestStream || chosen.responseStream)
    throw new PreparationError(
      'grpc_not_unary',
      `The method ${service}/${method} streams. A target calls unary methods only.`,
    )
  return unaryMethod(chosen, definition)
}

function unaryMethod(method: Method, definition: Definition): UnaryMethod {
  // The loader types the shapes of messages as objects.
  const request = method.requestType.type as MessageShape
  const response = method.responseType.type as MessageShape
  const find = shapesOf(definition)
  return {
    path: method.path,
    encode: (message) =>
      method.requestSerialize(convertMaps(message, request, find, 'to entries') as object),
    decodeRequest: (encoded) =>
      convertMaps(method.requestDeserialize(encoded), request, find, 'to objects'),
    decode: (encoded) =>
      convertMaps(method.responseDeserialize(encoded), response, find, 'to objects'),
  }
}

/** Fields name messages with or without their package. */
function shapesOf(definition: Definition): FindShape {
  const shapes = Object.entries(definition).flatMap(([name, { format, type }]) =>
    format === 'Protocol Buffer 3 DescriptorProto' ? [[name, type as MessageShape] as const] : [],
  )
  return (typeName) => {
    const wanted = typeName.replace(/^\./, '')
    const exact = shapes.find(([name]) => name === wanted)
    return (exact ?? shapes.find(([name]) => name.endsWith(`.${wanted}`)))?.[1]
  }
}

function servicesOf(definition: Definition): string {
  const names = Object.keys(definition).filter((name) => !('format' in (definition[name] ?? {})))
  return names.length === 0 ? 'no services' : names.slice(0, 20).join(', ')
}

/** Encodes a request; what its message does not have is refused, and not left out silently. */
export function encodeRequest(method: UnaryMethod, message: unknown): Buffer {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw invalid(`must be an object; got ${JSON.stringify(message)?.slice(0, 80)}`)
  let encoded: Buffer
  let known: unknown
  try {
    encoded = method.encode(message)
    known = method.decodeRequest(encoded)
  } catch (error) {
    throw invalid(`cannot be encoded: ${error instanceof Error ? error.message : String(error)}`)
  }
  const unknown = unknownField(message, known, '')
  if (unknown !== null) throw invalid(`has no field ${unknown}. Write names as in the .proto file`)
  return encoded
}

function invalid(why: string): PreparationError {
  return new PreparationError('grpc_invalid_message', `The message of the request ${why}.`)
}

/** Returns the first member that was not taken over into the message. */
function unknownField(given: unknown, known: unknown, path: string): string | null {
  if (typeof given !== 'object' || given === null) return null
  if (typeof known !== 'object' || known === null) return null
  for (const [name, inner] of Object.entries(given)) {
    if (inner === null || inner === undefined) continue
    if (!Object.hasOwn(known, name)) return path + name
    const found = unknownField(inner, Reflect.get(known, name), `${path}${name}.`)
    if (found !== null) return found
  }
  return null
}
