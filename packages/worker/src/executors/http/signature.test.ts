import { expect, test } from 'vitest'
import { signatures, signingKey } from './signature.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const signed = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: Buffer.from('{"test": 2432232314}'),
}

test('a signature is that of the test vector of Standard Webhooks (case 142)', () => {
  expect(signatures(signed, [signingKey('KEY', SECRET)])).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
})

test('several keys make several signatures, in their order (case 142)', () => {
  const other = signingKey('OTHER', Buffer.alloc(32, 7).toString('base64'))
  const both = signatures(signed, [other, signingKey('KEY', SECRET)]).split(' ')
  expect(both).toHaveLength(2)
  expect(both[1]).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test.each(['whsec_', 'whsec_short', 'not base64!', 'whsec_a b', ''])(
  'the secret %j is no signing key, and the refusal does not show it',
  (secret) => {
    expect(() => signingKey('KEY', secret)).toThrow('The secret KEY must be a signing key')
    if (secret !== '') expect(() => signingKey('KEY', secret)).not.toThrow(`KEY ${secret}`)
  },
)
