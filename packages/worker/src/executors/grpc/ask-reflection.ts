/** Asks a server for the files that define a service, with all files that those import. */
import type { Client, Metadata } from '@grpc/grpc-js'
import type { GrpcPackages } from './load-grpc.ts'
import {
  type ReflectionAnswer,
  type ReflectionPackage,
  type ReflectionQuestion,
  reflectionPackages,
  reflectionService,
} from './reflection-service.ts'

/** A server whose answers import ever more files is given up. */
const FILES_MAX = 1_000

export interface Asked {
  readonly client: Client
  readonly packages: GrpcPackages
  readonly service: string
  readonly metadata: Metadata
  readonly deadlineMs: number
  readonly signal: AbortSignal
}

/** Returns the files as a `FileDescriptorSet`. @throws `ServiceError` of gRPC, or an `Error` */
export async function askReflection(asked: Asked): Promise<Buffer> {
  let refused: unknown
  for (const name of reflectionPackages)
    try {
      return await askVersion(asked, name)
    } catch (error) {
      refused = error
      if (!isUnimplemented(error, asked.packages)) throw error
    }
  throw refused
}

function isUnimplemented(error: unknown, { grpc }: GrpcPackages): boolean {
  return error instanceof Error && 'code' in error && error.code === grpc.status.UNIMPLEMENTED
}

async function askVersion(asked: Asked, name: ReflectionPackage): Promise<Buffer> {
  const { client, packages, service, metadata, deadlineMs, signal } = asked
  const method = reflectionService(packages.loader, name)
  const stream = client.makeBidiStreamRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    metadata,
    { deadline: deadlineMs },
  )
  const cancel = () => stream.cancel()
  signal.addEventListener('abort', cancel)
  const answers: AsyncIterator<ReflectionAnswer> = stream[Symbol.asyncIterator]()
  const ask = async (question: ReflectionQuestion): Promise<readonly Buffer[]> => {
    stream.write(question)
    const { value } = await answers.next()
    return filesOf(value, question)
  }
  try {
    return await collect(service, ask)
  } finally {
    signal.removeEventListener('abort', cancel)
    stream.on('error', () => undefined)
    stream.cancel()
  }
}

function filesOf(answer: ReflectionAnswer | undefined, question: ReflectionQuestion) {
  const files = answer?.fileDescriptorResponse?.fileDescriptorProto
  if (files && files.length > 0) return files
  const why = answer?.errorResponse?.errorMessage ?? 'the server gave no file'
  const [wanted] = Object.values(question)
  throw new Error(`The server does not describe ${wanted} by reflection: ${why}.`)
}

async function collect(
  service: string,
  ask: (question: ReflectionQuestion) => Promise<readonly Buffer[]>,
): Promise<Buffer> {
  const files = new Map<string, Buffer>()
  const missing: string[] = []
  const take = (answered: readonly Buffer[]) => {
    for (const file of answered) {
      const { name, imports } = headOf(file)
      if (files.has(name)) continue
      files.set(name, file)
      missing.push(...imports)
    }
  }
  take(await ask({ fileContainingSymbol: service }))
  for (let name = missing.pop(); name !== undefined; name = missing.pop()) {
    if (files.size > FILES_MAX) throw new Error(`${service} needs more than ${FILES_MAX} files.`)
    if (!files.has(name)) take(await ask({ fileByFilename: name }))
  }
  return Buffer.concat([...files.values()].map(asMember))
}

/** A `FileDescriptorSet` is its files, each as field 1. */
function asMember(file: Buffer): Buffer {
  const length: number[] = []
  let rest = file.length
  for (; rest > 127; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128)
  return Buffer.concat([Buffer.from([0x0a, ...length, rest]), file])
}

/** Reads the name (field 1) and the imports (field 3) of a `FileDescriptorProto`. */
function headOf(file: Buffer): { readonly name: string; readonly imports: readonly string[] } {
  let name = ''
  const imports: string[] = []
  for (let at = 0; at < file.length; ) {
    const [tag, afterTag] = varint(file, at)
    if (tag % 8 !== 2) {
      at = varint(file, afterTag)[1]
      continue
    }
    const [length, start] = varint(file, afterTag)
    at = start + length
    if (tag === 0x0a) name = file.toString('utf8', start, at)
    else if (tag === 0x1a) imports.push(file.toString('utf8', start, at))
  }
  return { name, imports }
}

/** Returns the number and where it ends. */
function varint(bytes: Buffer, start: number): [number, number] {
  let value = 0
  let at = start
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++] ?? 0
    value += (byte % 128) * factor
    if (byte < 128) return [value, at]
  }
}
