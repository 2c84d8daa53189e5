import { expect, test } from 'vitest'
import { type LaunchSituation, possibleLaunchers } from './launcher.ts'

const ordinary: LaunchSituation = {
  platform: 'linux',
  uid: 1000,
  gid: 1000,
  hasPasswdEntry: true,
  serviceUser: undefined,
  asRoot: 'auto',
}
const root: LaunchSituation = {
  ...ordinary,
  uid: 0,
  gid: 0,
  serviceUser: { uid: 101, gid: 104 },
}
const names = (situation: LaunchSituation) => possibleLaunchers(situation).map(({ name }) => name)

test('an ordinary user runs the server directly', () => {
  expect(names(ordinary)).toEqual(['direct', 'direct'])
  expect(names({ ...ordinary, platform: 'darwin' })).toEqual(['direct'])
})

test('a user without a passwd entry needs a namespace that provides one', () => {
  expect(names({ ...ordinary, hasPasswdEntry: false })).toEqual(['namespace'])
})

test('root prefers a namespace to a service user', () => {
  expect(names(root)).toEqual([
    'namespace',
    'service-user',
    'service-user through closed directories',
    'service-user by spawn',
  ])
})

test('root without a service user has only the namespace', () => {
  expect(names({ ...root, serviceUser: undefined })).toEqual(['namespace'])
})

test('no launcher runs the server as root', () => {
  for (const launcher of possibleLaunchers({ ...root, asRoot: 'service-user' })) {
    const identity = `${launcher.prefix.join(' ')} ${launcher.identity?.uid}`
    expect(identity).toMatch(/--reuid=101|^ 101$/)
  }
})
