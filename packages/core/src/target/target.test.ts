import { describe, expect, test } from 'vitest'
import { PunctualError } from '../errors/errors.ts'
import { compileOptions } from '../submit/submission.ts'
import { checkTarget, type Target } from './target.ts'

const url = 'https://example.com/hook'

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (!(error instanceof PunctualError)) throw error
    return `${error.field}: ${error.message}`
  }
  throw new Error('It was not refused.')
}
const refused = (target: unknown) => refusal(() => checkTarget('target', target))

describe('a target', () => {
  test('is returned as it was written, without members that are undefined', () => {
    const target = { kind: 'http', url, headers: { 'X-Run': '{{run.id}}' }, method: 'PUT' }
    expect(checkTarget('target', { ...target, body: undefined })).toEqual(target)
    expect(checkTarget('target', { kind: 'handler', name: 'a' })).toEqual({
      kind: 'handler',
      name: 'a',
    })
  })

  test('of an unknown kind is refused with the known kinds', () => {
    expect(refused({ kind: 'ftp' })).toMatch(/target\.kind must be handler, http, shell.*got "ftp"/)
    expect(refused('https://example.com')).toMatch(/target must be an object such as \{ kind/)
    expect(refused({ kind: 'constructor' })).toMatch(/target\.kind must be/)
  })

  test('with an unknown, missing or invalid member is refused with its path', () => {
    expect(refused({ kind: 'http', url, uri: url })).toMatch(/^target: .*got "uri"/)
    expect(refused({ kind: 'http' })).toMatch(/^target\.url: /)
    expect(refused({ kind: 'http', url, success: { status: 'ok' } })).toMatch(
      /^target\.success\.status: .*200-299,404/,
    )
  })

  test.each([
    'ftp://example.com',
    'file:///etc/passwd',
    'gopher://a',
    '/relative',
    'http://',
    'http://a\nb',
  ])('with the URL %j is refused (case 134)', (wrong) => {
    expect(refused({ kind: 'http', url: wrong })).toMatch(/^target\.url: /)
  })

  test.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'webhook-signature',
    'a b',
    'a\r\nb',
    '',
  ])('with the header %j is refused (case 138)', (name) => {
    expect(refused({ kind: 'http', url, headers: { [name]: 'x' } })).toMatch(/^target\.headers key/)
  })

  test('with a method that is no token, or that opens a tunnel, is refused (case 138)', () => {
    for (const method of ['GET\r\n', 'CONNECT', 'trace', 'A B'])
      expect(refused({ kind: 'http', url, method })).toMatch(/^target\.method: /)
  })

  test('with a placeholder that nothing fills in is refused', () => {
    for (const text of ['{{env.HOME}}', '{{payload.}}', '{{secret}}', '{{ }}', '{{payload.a'])
      expect(refused({ kind: 'http', url, body: { deep: [text] } })).toMatch(
        /^target\.body\.deep\.0: /,
      )
  })

  test('that runs a shell takes one text, and any other a list of arguments', () => {
    expect(refused({ kind: 'shell', command: 'ls -l' })).toMatch(/list of arguments/)
    expect(refused({ kind: 'shell', command: ['ls'], shell: true })).toMatch(/one text/)
    const target: Target = { kind: 'shell', command: ['ls', '-l'] }
    expect(checkTarget('target', target)).toEqual(target)
  })
})

describe('a run with a target', () => {
  const target: Target = { kind: 'http', url }

  test('has the reserved handler of the kind, and keeps the target in its policy', () => {
    const { handler, policy } = compileOptions(undefined, { target })
    expect(handler).toBe('@http')
    expect(JSON.parse(policy ?? 'null')).toMatchObject({ target })
  })

  test('is a plain run when its target is a handler', () => {
    const plain = compileOptions('send')
    expect(compileOptions(undefined, { target: { kind: 'handler', name: 'send' } })).toEqual(plain)
  })

  test('takes no handler as well, and no other run takes a reserved one', () => {
    expect(refusal(() => compileOptions('send', { target }))).toMatch(/exclude each other/)
    expect(refusal(() => compileOptions('@http'))).toMatch(/does not begin with @/)
    const reserved: Target = { kind: 'handler', name: '@http' }
    expect(refusal(() => compileOptions(undefined, { target: reserved }))).toMatch(/begin with @/)
  })
})

describe('a shell target', () => {
  const command = ['pg_dump']

  test('with a placeholder in a script is refused, and takes it in env (case 146)', () => {
    const shell = { kind: 'shell', shell: true, command: 'echo "{{payload.name}}"' }
    expect(refused(shell)).toMatch(/^target\.command: .*name them in env/)
    const target: Target = {
      kind: 'shell',
      shell: true,
      command: 'echo "$NAME"',
      env: { NAME: '{{payload.name}}' },
    }
    expect(checkTarget('target', target)).toEqual(target)
  })

  test('may have braces in a script that are no placeholder', () => {
    const target: Target = {
      kind: 'shell',
      shell: true,
      command: "docker ps --format '{{.Names}}' | awk '{ if (a) {{ print }} }'",
    }
    expect(checkTarget('target', target)).toEqual(target)
  })

  test('with a program that would be read as an option is refused (case 146)', () => {
    for (const program of ['-i', 'A=b'])
      expect(refused({ kind: 'shell', command: [program] })).toMatch(/^target\.command\[0\]: /)
  })

  test('sets no variable that says which attempt it is', () => {
    for (const name of ['FENCE', 'RUN_ID', 'PUNCTUAL_COMMAND', '1A'])
      expect(refused({ kind: 'shell', command, env: { [name]: 'x' } })).toMatch(/^target\.env key/)
  })

  test.each([
    { umask: '888' },
    { cwd: 'relative' },
    { noRetryCodes: '1-256' },
    { noRetryCodes: 'a' },
    { processes: 0 },
  ])('with %j is refused', (member) => {
    expect(refused({ kind: 'shell', command, ...member })).toMatch(/^target\.\w+: /)
  })
})
