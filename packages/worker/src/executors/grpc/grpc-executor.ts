/** Performs runs whose target is a unary call of a gRPC service. */
import type { GrpcTarget } from '@punctual/core/target'
import type { Call, Execution, Executor } from '../executor.ts'
import type { ExecutorServices } from '../executor-services.ts'
import { fillJson, fillText } from '../template.ts'
import { Channels } from './channels.ts'
import { type CallFacts, GrpcExecution, type GrpcHost } from './grpc-execution.ts'
import { loadGrpc } from './load-grpc.ts'
import { Methods } from './methods.ts'

export class GrpcExecutor implements Executor<GrpcTarget> {
  readonly kind = 'grpc'
  readonly #services: ExecutorServices
  #host: Promise<GrpcHost> | undefined

  constructor(services: ExecutorServices) {
    this.#services = services
  }

  async prepare(target: GrpcTarget, call: Call): Promise<Execution> {
    const facts: CallFacts = {
      target,
      call,
      message:
        target.message === undefined
          ? () => call.payload
          : await fillJson('target.message', target.message, call),
      metadata: await metadataOf(target, call),
      tls: target.tls === false ? null : await certificatesOf(target, call),
    }
    this.#host ??= this.#open().catch((error: unknown) => {
      this.#host = undefined
      throw error
    })
    return new GrpcExecution(await this.#host, facts)
  }

  async #open(): Promise<GrpcHost> {
    const services = this.#services
    const packages = await loadGrpc()
    const channels = new Channels(services, packages.grpc)
    return { services, packages, channels, methods: new Methods(services.clock, packages) }
  }

  async close(): Promise<void> {
    const host = await this.#host?.catch(() => undefined)
    host?.channels.close()
    this.#host = undefined
  }
}

async function metadataOf(
  { metadata = {} }: GrpcTarget,
  call: Call,
): Promise<CallFacts['metadata']> {
  const entries: [string, (fence: string) => string][] = []
  for (const [name, text] of Object.entries(metadata))
    entries.push([name, await fillText(`target.metadata.${name}`, text, call)])
  return (fence) => Object.fromEntries(entries.map(([name, fill]) => [name, fill(fence)]))
}

async function certificatesOf(target: GrpcTarget, call: Call) {
  const read = async (name: string | undefined) =>
    name === undefined ? null : await call.secret(name)
  return {
    ca: await read(target.caSecret),
    cert: await read(target.certSecret),
    key: await read(target.keySecret),
  }
}
