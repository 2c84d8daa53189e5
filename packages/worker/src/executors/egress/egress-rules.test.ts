import { describe, expect, test } from 'vitest'
import { EgressRules } from './egress-rules.ts'
import { checkUrl } from './guarded-lookup.ts'
import { isSpecialAddress } from './special-addresses.ts'

const closed = new EgressRules([])
const refused = (url: string, rules = closed) => {
  try {
    checkUrl(new URL(url), rules)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

test.each([
  ...['127.0.0.1', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1', '169.254.169.254'],
  ...['fd00::1', 'fe80::1', 'fe80::1%eth0', '100.64.0.1', '192.0.0.1', '198.18.0.1', '224.0.0.1'],
  ...['240.0.0.1', '255.255.255.255', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '2002:7f00:1::'],
  ...[
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '2001:db8::1',
    '2001::1',
    'ff02::1',
  ],
  ...['::127.0.0.1', 'not an address', ''],
])('the address %s is special (case 131)', (address) => {
  expect(isSpecialAddress(address)).toBe(true)
})

test.each([
  '93.184.216.34',
  '172.32.0.1',
  '100.128.0.1',
  '2606:2800:220:1::1',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
])('the address %s is public', (address) => {
  expect(isSpecialAddress(address)).toBe(false)
})

describe('a URL is refused in every spelling of an address that is closed (case 131)', () => {
  test.each([
    ...['http://127.0.0.1/', 'http://127.1/', 'http://2130706433/', 'http://0177.1/'],
    ...['http://0x7f.0.0.1/', 'http://0x7f000001/', 'http://127.0.0.1./', 'http://[::1]/'],
    ...['http://[::ffff:127.0.0.1]/', 'http://１２７.0.0.1/', 'http://①②⑦.0.0.1/', 'http://0/'],
    ...['http://169.254.169.254/latest/meta-data', 'https://[fd00::1]:443/', 'http://[fe80::1]/'],
  ])('%s', (url) => {
    expect(refused(url)).toMatch(/--egress-allow/)
  })
})

test('a URL with a user name is refused (case 131)', () => {
  expect(refused('https://a@example.com/')).toMatch(/Authorization/)
  expect(refused('https://example.com:b@127.0.0.1/')).toMatch(/Authorization/)
})

test('a scheme other than those of HTTP is refused (case 134)', () => {
  for (const url of [
    'file:///etc/passwd',
    'gopher://example.com/',
    'ftp://example.com/',
    'ws://a/',
  ])
    expect(refused(url)).toMatch(/http: or https:/)
})

test('ports of other services are closed until the operator opens them (case 131)', () => {
  for (const port of [22, 25, 5432, 6379]) {
    expect(refused(`http://example.com:${port}/`)).toMatch(/--egress-allow/)
    expect(
      refused(`http://example.com:${port}/`, new EgressRules([`example.com:${port}`])),
    ).toBeNull()
  }
  for (const url of ['http://example.com/', 'https://example.com/', 'http://example.com:8080/'])
    expect(refused(url)).toBeNull()
})

describe('an operator opens', () => {
  test('an address, a network and every port of them', () => {
    const rules = new EgressRules(['10.0.0.0/8:*', '[fd00::]/8', '192.168.1.1'])
    expect(refused('http://10.9.8.7:9999/', rules)).toBeNull()
    expect(refused('http://[fd12::1]/', rules)).toBeNull()
    expect(refused('http://192.168.1.1/', rules)).toBeNull()
    expect(refused('http://192.168.1.2/', rules)).toMatch(/192\.168\.1\.2/)
    expect(refused('http://192.168.1.1:81/', rules)).toMatch(/port 81/)
  })

  test('a host by its name, for private addresses too, and no other host', () => {
    const rules = new EgressRules(['hooks.internal', '*.corp.example:*'])
    expect(rules.allowsAddress('hooks.internal', '10.0.0.1', 443)).toBe(true)
    expect(rules.allowsAddress('HOOKS.internal.', '10.0.0.1', 443)).toBe(true)
    expect(rules.allowsAddress('hooks.internal', '10.0.0.1', 9000)).toBe(false)
    expect(rules.allowsAddress('evil.example', '10.0.0.1', 443)).toBe(false)
    expect(rules.allowsAddress('a.corp.example', '10.0.0.1', 9000)).toBe(true)
    expect(rules.allowsAddress('corp.example.evil', '10.0.0.1', 443)).toBe(false)
  })

  test('this machine with localhost', () => {
    const rules = new EgressRules(['localhost:*'])
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(refused(`http://${host}:3000/`, rules)).toBeNull()
    expect(refused('http://10.0.0.1:3000/', rules)).not.toBeNull()
  })
})

test.each(['', 'a b', 'host:99999', 'host:0', '10.0.0.0/33', 'host/8', '[zz]:1', 'http://host'])(
  'the entry %j is refused when a node starts',
  (entry) => {
    expect(() => new EgressRules([entry])).toThrow(/egressAllow must be/)
  },
)
