import { expect, test } from 'vitest'
import { EmbeddedErrorCode } from '../data-directory/embedded-error.ts'
import { assertSettings, serverSettings } from './settings.ts'

const facts = { port: 5432, tag: 'punctual-0', supportsLz4: false }

test('a setting replaces its default and leaves the others', () => {
  const settings = serverSettings(facts, { max_connections: '10' })
  expect(settings).toMatchObject({ max_connections: '10', fsync: 'on', wal_compression: 'off' })
})

test('WAL is compressed when the build supports lz4', () => {
  expect(serverSettings({ ...facts, supportsLz4: true }, {}).wal_compression).toBe('lz4')
})

test.each(['port', 'listen_addresses', 'cluster_name'])('callers cannot set %s', (name) => {
  expect(() => assertSettings({ [name]: 'x' })).toThrow(
    expect.objectContaining({ code: EmbeddedErrorCode.InvalidOption }),
  )
})

test('an invalid setting name is refused before it reaches a command line', () => {
  expect(() => assertSettings({ 'fsync=off -c port': '1' })).toThrow('not the name')
})
