/** Calls of a real gRPC server: messages, metadata, encryption, deadlines and status codes. */
import { ServerCredentials } from '@grpc/grpc-js'
import type { GrpcTarget } from '@punctual/core/target'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authority, serverKey, validCertificate } from './certificates.ts'
import { type Behaviour, describeExecutor } from './conformance.ts'
import { descriptorSet, type GrpcPeer, grpcExecutor, openGrpcPeer } from './grpc-peer.ts'
import { recordedCall } from './recorded-call.ts'

const behaviours: Readonly<Record<Behaviour, string>> = {
  succeed: 'done',
  fail: 'ABORTED',
  refuse: 'INVALID_ARGUMENT',
  hang: 'hang',
  flood: 'flood',
}

describeExecutor<GrpcTarget>('grpc', async () => {
  const executor = grpcExecutor()
  const peer = await openGrpcPeer()
  const target = (behaviour: Behaviour): GrpcTarget => ({
    ...targetOn(peer),
    message: { behaviour: behaviours[behaviour] },
    metadata: { authorization: 'Bearer {{secret.KEY}}' },
  })
  return {
    executor,
    target,
    unreachable: () => ({ ...target('succeed'), address: '127.0.0.1:1', connectTimeoutMs: 300 }),
    received: () =>
      peer.metadata.map((metadata) => ({
        idempotencyKey: String(metadata.get('idempotency-key')[0]),
        fence: String(metadata.get('punctual-fence')[0]),
        attempt: String(metadata.get('punctual-attempt')[0]),
        secret: String(metadata.get('authorization')[0]).slice('Bearer '.length),
      })),
    idle: async () => void (await expect.poll(() => peer.open.size).toBe(0)),
    async close() {
      await executor.close()
      peer.close()
    },
  }
})

describe('a gRPC call', () => {
  let peer: GrpcPeer
  const executor = grpcExecutor()
  beforeAll(async () => {
    peer = await openGrpcPeer()
  })
  afterAll(async () => {
    await executor.close()
    peer.close()
  })

  const run = async (
    given: Partial<GrpcTarget>,
    call = recordedCall({ secrets: { ca: authority } }),
    by = executor,
  ) => {
    const execution = await by.prepare({ ...targetOn(peer), ...given }, call)
    return execution.execute(new AbortController().signal, '42')
  }

  test('sends a message of any form and answers with one, found by reflection', async () => {
    const items = [{ name: 'lamp', size: 'SIZE_LARGE' }]
    const due = { seconds: '1', nanos: 2 }
    const message = { behaviour: 'ok', customer_id: '9007199254740993', items, labels: { a: 'b' } }
    expect(await run({ message: { ...message, due } })).toMatchObject({
      kind: 'succeeded',
      output: { id: 'o1', text: 'ok', request: { ...message, due } },
    })
  })

  test('sends the payload when it has no message', async () => {
    const call = recordedCall({ payload: { behaviour: 'from payload' } })
    expect(await run({}, call)).toMatchObject({ output: { text: 'from payload' } })
  })

  test('needs no reflection when the target has a descriptor', async () => {
    const silent = await openGrpcPeer({ reflection: false })
    const target = { address: silent.address, message: { behaviour: 'ok' } }
    expect(await run(target)).toMatchObject({ kind: 'failed', reached: 'no' })
    const outcome = await run({ ...target, descriptor: descriptorSet() })
    silent.close()
    expect(outcome).toMatchObject({ kind: 'succeeded', output: { text: 'ok' } })
  })

  test.each([
    [{ service: 'shop.v1.Nothing' }, /shop.v1.Nothing/],
    [{ method: 'Delete' }, /has no method Delete. It has Create, Watch/],
    [{ method: 'Watch' }, /streams/],
    [{ message: { behavior: 'ok' } }, /has no field behavior/],
    [{ message: { items: [{ nam: 'lamp' }] } }, /has no field items.0.nam/],
    [{ message: [1] }, /must be an object/],
  ])('with %j is not sent', async (wrong, expected) => {
    const before = peer.metadata.length
    const outcome = await run({ message: {}, ...wrong } as Partial<GrpcTarget>)
    expect(outcome).toMatchObject({ kind: 'failed', reached: 'no' })
    expect((outcome as { failure: { message: string } }).failure.message).toMatch(expected)
    expect(peer.metadata).toHaveLength(before)
  })

  test.each([
    ['CANCELLED', 'perhaps', true],
    ['UNKNOWN', 'perhaps', true],
    ['INVALID_ARGUMENT', 'yes', false],
    ['DEADLINE_EXCEEDED', 'perhaps', true],
    ['NOT_FOUND', 'yes', false],
    ['ALREADY_EXISTS', 'yes', false],
    ['PERMISSION_DENIED', 'yes', false],
    ['RESOURCE_EXHAUSTED', 'yes', true],
    ['FAILED_PRECONDITION', 'yes', false],
    ['ABORTED', 'yes', true],
    ['OUT_OF_RANGE', 'yes', false],
    ['UNIMPLEMENTED', 'yes', false],
    ['INTERNAL', 'perhaps', true],
    ['UNAVAILABLE', 'perhaps', true],
    ['DATA_LOSS', 'perhaps', false],
    ['UNAUTHENTICATED', 'yes', false],
  ])('that ends with %s reached the service: %s, retried: %s', async (name, reached, retry) => {
    const outcome = await run({ message: { behaviour: name } })
    const code = `grpc_${name.toLowerCase()}`
    expect(outcome).toMatchObject({ kind: 'failed', reached, retry, failure: { code } })
  })

  test('is retried when the service says so, and not when it asks for no retry', async () => {
    const later = await run({ message: { behaviour: 'UNAVAILABLE 2500' } })
    expect(later).toMatchObject({ retry: true, retryAfterMs: 2_500 })
    const never = await run({ message: { behaviour: 'UNAVAILABLE -1' } })
    expect(never).toMatchObject({ retry: false })
  })

  test('ends at its deadline, and leaves open whether the service acted', async () => {
    const outcome = await run({ message: { behaviour: 'hang' }, deadlineMs: 100 })
    expect(outcome).toMatchObject({
      failure: { code: 'grpc_deadline_exceeded' },
      reached: 'perhaps',
    })
  })

  test('with a response larger than it may be fails without retry', async () => {
    const outcome = await run({ message: { behaviour: 'flood' } })
    expect(outcome).toMatchObject({ kind: 'failed', retry: false, reached: 'perhaps' })
  })

  test('is encrypted with certificates from secrets, and refuses others', async () => {
    const pair = { cert_chain: Buffer.from(validCertificate), private_key: Buffer.from(serverKey) }
    const secure = await openGrpcPeer({ credentials: ServerCredentials.createSsl(null, [pair]) })
    const target = { address: secure.address, tls: true, message: { behaviour: 'ok' } }
    const trusted = await run({ ...target, caSecret: 'ca' })
    const untrusted = await run({ ...target, connectTimeoutMs: 500 })
    secure.close()
    expect(trusted).toMatchObject({ kind: 'succeeded' })
    expect(untrusted).toMatchObject({ kind: 'failed', reached: 'no' })
  })

  test('to an address that the operator has not opened is refused (case 131)', async () => {
    const closed = grpcExecutor({ allowed: [] })
    for (const address of [peer.address, `127.0.0.1:443`, '169.254.169.254:80', '[::1]:443'])
      expect(await run({ address }, recordedCall({ payload: {} }), closed)).toMatchObject({
        failure: { code: 'egress_refused', message: expect.stringMatching(/--egress-allow/) },
        reached: 'no',
        retry: false,
      })
    await closed.close()
  })
})

function targetOn({ address }: GrpcPeer): GrpcTarget {
  return { kind: 'grpc', address, service: 'shop.v1.Orders', method: 'Create', tls: false }
}
