import { runOptions } from '@punctual/core/submit'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { addOptionFlags, optionsFrom } from './option-flags.ts'

const reading = { instant: (_: string, text: string) => new Date(text), payloadBytes: 1_000 }

function parsed(...args: string[]) {
  const command = addOptionFlags(new Command(), runOptions).exitOverride()
  return optionsFrom(runOptions, command.parse(args, { from: 'user' }).opts(), reading)
}

it('turns the flags into options of the library', () => {
  expect(parsed()).toEqual({})
  expect(parsed('--priority', '7', '--timeout', '5m', '--strict')).toEqual({
    ...{ priority: 7, timeoutMs: 300_000, strict: true },
  })
  expect(parsed('--expires-at', '2030-01-31', '--label', 'a=1', 'b=2')).toEqual({
    ...{ expiresAt: new Date('2030-01-31'), labels: { a: '1', b: '2' } },
  })
})

it('turns the flags of the members of an option into the option', () => {
  expect(parsed('--concurrency-key', 'a:b', '--concurrency-limit', '3')).toEqual({
    concurrency: { key: 'a:b', limit: 3 },
  })
  expect(parsed('--rate', '5/minute', '--rate-key', 'k', '--rate-burst', '2')).toEqual({
    rate: { limit: 5, per: 'minute', key: 'k', burst: 2 },
  })
  expect(parsed('--backoff', 'list:1s,1m', '--abort-on', 'A', 'B')).toEqual({
    retry: { backoff: { kind: 'list', delaysMs: [1_000, 60_000] }, abortOn: ['A', 'B'] },
  })
})

it('turns the flags of a key into options of the library', () => {
  const flags = ['--on-conflict', 'debounce', '--window', '5s', '--max-wait', '1m']
  expect(parsed('--key', 'k', ...flags)).toEqual({
    ...{ key: 'k', onConflict: 'debounce', window: 5_000, maxWait: 60_000 },
  })
})

it.for([
  [['--concurrency-limit', '3'], /--concurrency-limit needs --concurrency-key/],
  [['--rate-key', 'k'], /--rate-key needs --rate/],
  [['--rate-burst', '1'], /--rate-burst needs --rate/],
  [['--rate', '5/week'], /--rate must look like 500\/second/],
  [['--rate', '5/second', '--rate-burst', 'some'], /--rate-burst must be an integer/],
  [['--window', 'soon'], /--window must be a duration/],
  [['--priority', 'high'], /--priority must be an integer/],
  [['--label', 'a'], /--label must be name=value/],
  [['--backoff', 'fixed:1s..2s'], /--backoff must look like/],
] as const)('refuses %j: %s', ([flags, message]) => {
  expect(() => parsed(...flags)).toThrow(message)
})
