/** The service by which a gRPC server describes itself, in its two versions. */
import type { ServiceDefinition } from '@grpc/grpc-js'
import type { ProtoLoader } from './load-grpc.ts'

/** The newer one first: a server may have either. */
export const reflectionPackages = ['grpc.reflection.v1', 'grpc.reflection.v1alpha'] as const

export type ReflectionPackage = (typeof reflectionPackages)[number]

const field = (type: string, id: number) => ({ type, id })

/** Only the questions that we ask and the answers that we read; unknown fields are skipped. */
const messages = {
  ServerReflectionRequest: {
    oneofs: { messageRequest: { oneof: ['fileByFilename', 'fileContainingSymbol'] } },
    fields: {
      host: field('string', 1),
      fileByFilename: field('string', 3),
      fileContainingSymbol: field('string', 4),
    },
  },
  ServerReflectionResponse: {
    fields: {
      fileDescriptorResponse: field('FileDescriptorResponse', 4),
      errorResponse: field('ErrorResponse', 7),
    },
  },
  FileDescriptorResponse: {
    fields: { fileDescriptorProto: { rule: 'repeated', ...field('bytes', 1) } },
  },
  ErrorResponse: {
    fields: { errorCode: field('int32', 1), errorMessage: field('string', 2) },
  },
  ServerReflection: {
    methods: {
      ServerReflectionInfo: {
        requestType: 'ServerReflectionRequest',
        requestStream: true,
        responseType: 'ServerReflectionResponse',
        responseStream: true,
      },
    },
  },
}

export interface ReflectionAnswer {
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto?: readonly Buffer[] } | null
  readonly errorResponse?: { readonly errorCode?: number; readonly errorMessage?: string } | null
}

export type ReflectionQuestion =
  | { readonly fileContainingSymbol: string }
  | { readonly fileByFilename: string }

export function reflectionService(
  loader: ProtoLoader,
  name: ReflectionPackage,
): ServiceDefinition[string] {
  const root = name
    .split('.')
    .reduceRight<object>((nested, part) => ({ nested: { [part]: nested } }), { nested: messages })
  const definition = loader.fromJSON(root, {})
  const service = definition[`${name}.ServerReflection`] as ServiceDefinition
  const method = service.ServerReflectionInfo
  if (!method) throw new Error(`The definition of ${name} has no method.`)
  return method
}
