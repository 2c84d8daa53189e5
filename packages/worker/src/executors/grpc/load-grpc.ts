/** The packages for gRPC, loaded at the first call: most processes never make one. */
import { PunctualError } from '@punctual/core/errors'

export type Grpc = typeof import('@grpc/grpc-js')
export type ProtoLoader = typeof import('@grpc/proto-loader')

export interface GrpcPackages {
  readonly grpc: Grpc
  readonly loader: ProtoLoader
}

export async function loadGrpc(): Promise<GrpcPackages> {
  try {
    const [grpc, loader] = await Promise.all([
      import('@grpc/grpc-js'),
      import('@grpc/proto-loader'),
    ])
    return { grpc, loader }
  } catch (cause) {
    throw new PunctualError(
      'package_missing',
      'Targets of the kind grpc need the packages @grpc/grpc-js and @grpc/proto-loader. Install them: npm install @grpc/grpc-js@1.14.7 @grpc/proto-loader@0.8.1',
      { cause },
    )
  }
}
