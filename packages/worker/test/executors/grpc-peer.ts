/** A real gRPC server on loopback that behaves as its requests ask, and executors that may reach it. */
import { fileURLToPath } from 'node:url'
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import { loadSync, type PackageDefinition } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'
import { systemClock } from '@punctual/store'
import { EgressRules } from '../../src/executors/egress/egress-rules.ts'
import { systemResolve } from '../../src/executors/egress/guarded-lookup.ts'
import { GrpcExecutor } from '../../src/executors/grpc/grpc-executor.ts'

const proto = fileURLToPath(new URL('./orders.proto', import.meta.url))
const definition: PackageDefinition = loadSync(proto, { keepCase: true, longs: String })

export interface Asked {
  readonly behaviour?: string
}

export interface GrpcPeer {
  readonly address: string
  readonly port: number
  readonly metadata: Metadata[]
  /** Calls that the server has not ended and the client has not left. */
  readonly open: Set<unknown>
  close(): void
}

export interface PeerOptions {
  readonly reflection?: boolean
  readonly credentials?: ServerCredentials
}

export async function openGrpcPeer(options: PeerOptions = {}): Promise<GrpcPeer> {
  const { reflection = true, credentials = ServerCredentials.createInsecure() } = options
  const server = new Server()
  const metadata: Metadata[] = []
  const open = new Set<unknown>()
  const orders = definition['shop.v1.Orders'] as unknown as ServiceDefinition
  server.addService(orders, {
    Create(call: ServerUnaryCall<Asked, object>, answer: sendUnaryData<object>) {
      metadata.push(call.metadata)
      open.add(call)
      call.on('cancelled', () => open.delete(call))
      answerTo(call.request, (...given) => {
        open.delete(call)
        answer(...given)
      })
    },
    Watch: (call: { end(): void }) => call.end(),
  })
  if (reflection) new ReflectionService(definition).addToServer(server)
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  return { address: `127.0.0.1:${port}`, port, metadata, open, close: () => server.forceShutdown() }
}

function answerTo(request: Asked, answer: sendUnaryData<object>): void {
  const { behaviour = '' } = request
  if (behaviour === 'hang') return
  const [name = '', pushback] = behaviour.split(' ')
  const code = status[name as keyof typeof status]
  if (typeof code !== 'number' || code === status.OK) {
    const text = behaviour === 'flood' ? 'x'.repeat(8_000_000) : behaviour
    answer(null, { id: 'o1', request, text })
    return
  }
  const trailer = new Metadata()
  if (pushback !== undefined) trailer.set('grpc-retry-pushback-ms', pushback)
  answer({ code, details: `it is ${name}`, metadata: trailer })
}

export interface GrpcKit {
  readonly allowed?: readonly string[]
  readonly ca?: string
}

export function grpcExecutor({ allowed = ['localhost:*'], ca }: GrpcKit = {}): GrpcExecutor {
  const rules = new EgressRules(allowed)
  return new GrpcExecutor({
    clock: systemClock,
    egress: () => rules,
    resolve: systemResolve,
    ...(ca !== undefined && { ca }),
  })
}

/** The descriptor of the service, as `protoc --descriptor_set_out --include_imports` writes it. */
export function descriptorSet(): string {
  const create = (definition['shop.v1.Orders'] as ServiceDefinition).Create as unknown as {
    readonly requestType: { readonly fileDescriptorProtos: readonly Buffer[] }
  }
  const files = create.requestType.fileDescriptorProtos.map((file) => {
    const length: number[] = []
    let rest = file.length
    for (; rest > 127; rest >>= 7) length.push((rest & 127) | 128)
    return Buffer.concat([Buffer.from([0x0a, ...length, rest]), file])
  })
  return Buffer.concat(files).toString('base64')
}
