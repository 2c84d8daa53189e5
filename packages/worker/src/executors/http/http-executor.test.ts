import type { HttpTarget } from '@punctual/core/target'
import { expect } from 'vitest'
import { describeExecutor } from '../../../test/executors/conformance.ts'
import { httpExecutor, openPeer } from '../../../test/executors/http-peer.ts'

describeExecutor<HttpTarget>('http', async () => {
  const executor = httpExecutor()
  const peer = await openPeer(({ path }, _, response) => {
    if (path === '/succeed') response.end('done')
    else if (path === '/fail') response.writeHead(503).end()
    else if (path === '/refuse') response.writeHead(400).end('no such customer')
    else if (path === '/flood') response.end('x'.repeat(8_000_000))
  })
  return {
    executor,
    target: (behaviour) => ({
      kind: 'http',
      url: `${peer.url}/${behaviour}`,
      headers: { Authorization: 'Bearer {{secret.KEY}}' },
    }),
    // A port of loopback that nothing listens on.
    unreachable: () => ({ kind: 'http', url: 'http://127.0.0.1:1/' }),
    received: () =>
      peer.requests.map(({ headers }) => ({
        idempotencyKey: String(headers['idempotency-key']),
        fence: String(headers['punctual-fence']),
        attempt: String(headers['punctual-attempt']),
        secret: String(headers.authorization).slice('Bearer '.length),
      })),
    idle: async () => {
      await expect
        .poll(() => [...peer.sockets].filter(({ bytesWritten }) => bytesWritten === 0))
        .toEqual([])
    },
    async close() {
      await executor.close()
      await peer.close()
    },
  }
})
