import { expect, it } from 'vitest'
import { parseConnectionUrl, redactUrl } from './connection-url.ts'

it('parses one host, several hosts, IPv6, default ports and encoded secrets', () => {
  expect(parseConnectionUrl('postgres://u:p%40s@h/db')).toMatchObject({
    servers: [{ host: 'h', port: 5432 }],
    user: 'u',
    password: 'p@s',
    database: 'db',
  })
  expect(
    parseConnectionUrl('postgresql://u@h1:5433,h2,[::1]:6000/db?sslmode=require'),
  ).toMatchObject({
    servers: [
      { host: 'h1', port: 5433 },
      { host: 'h2', port: 5432 },
      { host: '::1', port: 6000 },
    ],
    parameters: { sslmode: 'require' },
  })
  expect(parseConnectionUrl('postgres:///db').servers).toEqual([{ host: 'localhost', port: 5432 }])
  expect(parseConnectionUrl('postgres://%2Fvar%2Frun/db').servers).toEqual([
    { host: '/var/run', port: 5432 },
  ])
  expect(parseConnectionUrl('postgres:///db?host=a,b').servers.length).toBe(2)
})

it('refuses a URL that is not of PostgreSQL, and shows no password in the error', () => {
  for (const url of [
    '',
    'mysql://u:secret@h/db',
    'postgres://u:secret@h:99999/db',
    'postgres://u:secret@h:x/db',
    'h:5432',
  ]) {
    let message = ''
    try {
      parseConnectionUrl(url)
    } catch (error) {
      message = String(error)
      expect(error).toMatchObject({ code: 'invalid_config', field: 'databaseUrl' })
    }
    expect(message, url).not.toBe('')
    expect(message).not.toContain('secret')
  }
})

it('redacts a password anywhere in the URL', () => {
  expect(redactUrl('postgres://u:secret@h1,h2/db?password=other&x=1')).toBe(
    'postgres://u:***@h1,h2/db?password=***&x=1',
  )
  expect(redactUrl('postgres://u:se@cret@h/db')).toBe('postgres://u:***@h/db')
  expect(parseConnectionUrl('postgres://u:se@cret@h/db')).toMatchObject({
    password: 'se@cret',
    servers: [{ host: 'h' }],
  })
  expect(redactUrl('postgres://u@h/db')).toBe('postgres://u@h/db')
})
