import { expect, it } from 'vitest'
import { isConnectionFault, isDiskFull } from './faults.ts'

it('a full disk under a statement takes it back; under the log, nobody knows until the server is back', () => {
  const statement = { code: '53100', severity: 'ERROR' }
  expect([isDiskFull(statement), isConnectionFault(statement)]).toEqual([true, false])
  const server = { code: '53100', severity: 'PANIC' }
  expect([isDiskFull(server), isConnectionFault(server)]).toEqual([false, true])
})
