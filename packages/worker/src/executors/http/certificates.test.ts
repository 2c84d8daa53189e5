import { createServer } from 'node:https'
import { expect, test } from 'vitest'
import {
  authority,
  expiredCertificate,
  foreignCertificate,
  serverKey,
  validCertificate,
} from '../../../test/executors/certificates.ts'
import { openPeer, performOnce } from '../../../test/executors/http-peer.ts'

async function requestTo(cert: string, ca?: string) {
  const peer = await openPeer(
    (_, __, response) => response.end('ok'),
    createServer({ cert, key: serverKey }),
  )
  try {
    const outcome = await performOnce(
      { kind: 'http', url: peer.url.replace('http:', 'https:') },
      ca === undefined ? {} : { ca },
    )
    return { outcome, requests: peer.requests.length }
  } finally {
    await peer.close()
  }
}

test('a server with a valid certificate of a trusted authority gets the request', async () => {
  expect(await requestTo(validCertificate, authority)).toMatchObject({
    ...{ outcome: { kind: 'succeeded' }, requests: 1 },
  })
})

test.each([
  ['expired', expiredCertificate, authority, 'CERT_HAS_EXPIRED'],
  ['for another host', foreignCertificate, authority, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['of an unknown authority', validCertificate, undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
] as const)('a certificate that is %s: nothing is sent (case 137)', async (_, cert, ca, code) => {
  expect(await requestTo(cert, ca)).toMatchObject({
    outcome: { kind: 'failed', reached: 'no', failure: { code } },
    requests: 0,
  })
})
