import { expect, it } from 'vitest'
import { isConnectionFault, isDiskFull } from './faults.ts'

it('tells a disk that is full for a statement, a plain error, from one full for the WAL, a crash', () => {
  const statement = { code: '53100', severity: 'ERROR' }
  expect([isDiskFull(statement), isConnectionFault(statement)]).toEqual([true, false])
  const server = { code: '53100', severity: 'PANIC' }
  expect([isDiskFull(server), isConnectionFault(server)]).toEqual([false, true])
})
