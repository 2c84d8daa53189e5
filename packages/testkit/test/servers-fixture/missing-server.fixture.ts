/** Run by missing-server.test.ts in a separate vitest: a suite whose server cannot be installed. */
import { describe, expect, test } from 'vitest'
import { describeWithDefinedServer } from '../../src/servers/describe-with-server.ts'

const absent = {
  title: 'Absent Server',
  programs: ['punctual-absent-server'],
  install: 'apt-get install absent-server',
}

test('a suite without a server runs', () => {
  expect(true).toBe(true)
})

describeWithDefinedServer('absent', absent, (server) => {
  test('needs the program', () => {
    server.program('punctual-absent-server')
  })

  describe('an inner suite', () => {
    test('needs it too', () => {
      server.program('punctual-absent-server')
    })
  })
})
