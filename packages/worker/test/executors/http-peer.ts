/** A real HTTP server on loopback, and executors that may reach it. */
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { HttpTarget } from '@punctual/core/target'
import { systemClock } from '@punctual/store'
import { EgressRules } from '../../src/executors/egress/egress-rules.ts'
import { type Resolve, systemResolve } from '../../src/executors/egress/guarded-lookup.ts'
import type { ExecutionOutcome } from '../../src/executors/executor.ts'
import { HttpExecutor } from '../../src/executors/http/http-executor.ts'
import { type RecordedCall, recordedCall } from './recorded-call.ts'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface HttpPeer {
  readonly url: string
  readonly port: number
  readonly requests: readonly ReceivedRequest[]
  readonly sockets: ReadonlySet<Socket>
  close(): Promise<void>
}

/** Answers each request after its body was read. */
export type Answer = (request: ReceivedRequest, ...rest: Parameters<RequestListener>) => void

export async function openPeer(answer: Answer, server: Server = createServer()): Promise<HttpPeer> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const received = { method, path, headers, body: Buffer.concat(chunks).toString() }
      requests.push(received)
      answer(received, request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    ...{ port, requests, sockets, url: `http://127.0.0.1:${port}` },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

export interface ExecutorKit {
  readonly allowed?: readonly string[]
  readonly resolve?: Resolve
  readonly ca?: string
}

export function httpExecutor({ allowed = ['localhost:*'], resolve, ca }: ExecutorKit = {}) {
  const rules = new EgressRules(allowed)
  const given = { clock: systemClock, egress: () => rules, resolve: resolve ?? systemResolve }
  return new HttpExecutor({ ...given, ...(ca !== undefined && { ca }) })
}

/** Performs one run with its own executor. */
export async function performOnce(
  target: HttpTarget,
  { call = recordedCall({}), ...kit }: ExecutorKit & { readonly call?: RecordedCall } = {},
): Promise<ExecutionOutcome> {
  const executor = httpExecutor(kit)
  try {
    const execution = await executor.prepare(target, call)
    return await execution.execute(new AbortController().signal, '42')
  } finally {
    await executor.close()
  }
}
