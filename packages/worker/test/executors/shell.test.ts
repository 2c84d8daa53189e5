/** Commands as the target of runs: arguments, environment, output and exit codes. */
import { describe, expect, test } from 'vitest'
import { containments, shellKit } from './shell-kit.ts'

describe.each(containments)('a command %s', (_, containment) => {
  const kit = shellKit(containment)

  test('gets its arguments as they are, without a shell (case 146)', async () => {
    const odd = ['a b', `"'`, '$(id)', '`id`', 'line\nbreak', '-n', '*', '', 'ü', '\\']
    const { outcome } = await kit.run({ command: ['node', '-p', ARGV, '--', ...odd], env: PATH })
    expect(outcome).toEqual({ kind: 'succeeded', output: odd })
  })

  test('fails without retry when a payload puts a NUL into an argument (case 146)', async () => {
    const command = ['echo', '{{payload.x}}']
    await expect(kit.run({ command, call: { payload: { x: 'a\0b' } } })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/free of NUL/),
    })
  })

  test('is a program and never a built-in command of the shell (case 146)', async () => {
    const { outcome } = await kit.run({ command: ['eval', 'echo no'] })
    expect(outcome).toMatchObject({ kind: 'failed', retry: false, failure: { code: 'exit_127' } })
  })

  test('reads the payload from its standard input', async () => {
    const { outcome } = await kit.run({ command: ['cat'], call: { payload: { a: [1, 'ü'] } } })
    expect(outcome).toEqual({ kind: 'succeeded', output: { a: [1, 'ü'] } })
  })

  test('reads the input of the target instead of the payload', async () => {
    const call = { payload: { name: 'Ann' } }
    const { outcome } = await kit.run({ command: ['cat'], input: 'Dear {{payload.name}}\n', call })
    expect(outcome).toEqual({ kind: 'succeeded', output: 'Dear Ann' })
  })

  test('need not read its standard input', async () => {
    const payload = 'x'.repeat(1_000_000)
    const { outcome } = await kit.run({ command: ['true'], call: { payload } })
    expect(outcome).toEqual({ kind: 'succeeded', output: undefined })
  })

  test('has a clean environment with the facts of the attempt (case 150)', async () => {
    process.env.PUNCTUAL_SHELL_TEST = 'leaked'
    const job = { id: 'j1', slotAt: new Date('2026-01-02T00:00:00Z'), missed: null }
    const env = { GREETING: 'hello {{payload.name}}', TOKEN: '{{secret.token}}' }
    const call = { job, payload: { name: 'Ann' }, secrets: { token: 'swordfish-1' } }
    const { outcome } = await kit.run({
      command: ['node', '-p', ENV],
      env: { ...PATH, ...env },
      call,
    })
    const { output } = outcome as { output: Record<string, string> }
    expect(output).toMatchObject({ RUN_ID: 'run-1', ATTEMPT: '1', FENCE: 'fence-1', JOB_ID: 'j1' })
    expect(output).toMatchObject({ IDEMPOTENCY_KEY: 'run-1', SLOT: '2026-01-02T00:00:00.000Z' })
    expect(output).toMatchObject({ GREETING: 'hello Ann', TOKEN: 'swordfish-1' })
    const own = [
      'PATH',
      'HOME',
      'TMPDIR',
      'LANG',
      'PWD',
      'OLDPWD',
      'PUNCTUAL_COMMAND',
      '_',
      'SHLVL',
    ]
    const facts = ['RUN_ID', 'ATTEMPT', 'FENCE', 'JOB_ID', 'IDEMPOTENCY_KEY', 'SLOT']
    const known = new Set([...own, ...facts, 'GREETING', 'TOKEN'])
    expect(Object.keys(output).filter((name) => !known.has(name))).toEqual([])
  })

  test('runs in an empty private directory that is removed afterwards (case 150)', async () => {
    const script =
      'umask; ls -A | wc -l; touch made; stat -c %a . made; echo "[\\"$PWD\\",\\"$TMPDIR\\"]"'
    const { outcome, lines } = await kit.script(script)
    expect(lines.map(({ message }) => message.trim()).slice(0, 4)).toEqual([
      '0077',
      '0',
      '700',
      '600',
    ])
    const [pwd = '', tmp] = (outcome as { output: string[] }).output
    expect(tmp).toBe(pwd)
    expect(pwd.startsWith(kit.directory)).toBe(true)
    await expect(kit.run({ command: ['ls'], cwd: pwd })).rejects.toThrow(/must be a directory/)
  })

  test('starts in the directory and with the umask of the target', async () => {
    const { lines } = await kit.script('pwd; umask', { cwd: '/usr', umask: '027' })
    expect(lines.map(({ message }) => message)).toEqual(['/usr', '0027'])
  })

  test('is not started in a directory that a payload leads out of (case 151)', async () => {
    const target = { command: ['ls'], cwd: '/usr/{{payload.x}}' }
    const call = { payload: { x: '../etc' } }
    await expect(kit.run({ ...target, call })).rejects.toThrow(/without ".."/)
  })

  test('writes each line to the log as it comes, stderr as warnings', async () => {
    const seen: string[] = []
    const abort = new AbortController()
    const onLine = (message: string) => {
      seen.push(message)
      if (message === 'second') abort.abort()
    }
    const script = 'echo first; echo second >&2; exec sleep 60'
    const { lines } = await kit.script(script, { signal: abort.signal, onLine })
    expect(seen).toEqual(['first', 'second'])
    expect(lines.map(({ level }) => level)).toEqual(['info', 'warn'])
  })

  test.each([
    [0, 'succeeded', undefined],
    [1, 'exit_1', true],
    [126, 'exit_126', false],
    [127, 'exit_127', false],
    [137, 'exit_137', true],
    [139, 'exit_139', true],
    [255, 'exit_255', true],
  ])('that ends with exit code %i is %s (case 152)', async (code, expected, retry) => {
    const { outcome } = await kit.script(`echo why >&2; exit ${code}`)
    if (code === 0) return expect(outcome.kind).toBe(expected)
    expect(outcome).toMatchObject({ kind: 'failed', retry, reached: 'yes' })
    expect(outcome).toMatchObject({
      failure: { code: expected, message: expect.stringMatching(/why/) },
    })
  })

  test('is not retried after the exit codes that the target names', async () => {
    const outcomes = [64, 65, 66].map(async (code) => {
      const { outcome } = await kit.script(`exit ${code}`, { noRetryCodes: '1,64-65' })
      return (outcome as { retry: boolean }).retry
    })
    expect(await Promise.all(outcomes)).toEqual([false, false, true])
  })

  test('that a signal ends fails with the name of the signal (case 152)', async () => {
    const { outcome } = await kit.run({ command: ['sh', '-c', 'kill -SEGV $$'] })
    expect(outcome).toMatchObject({
      failure: { message: expect.stringMatching(/exit code 139 \(SIGSEGV\)/) },
    })
  })

  test('that ignores its signal and succeeds while it is stopped has succeeded (case 152)', async () => {
    const abort = new AbortController()
    const onLine = () => abort.abort()
    const script = 'trap "echo done; exit 0" TERM; echo ready; while :; do sleep 0.01; done'
    const { outcome } = await kit.script(script, { signal: abort.signal, onLine })
    expect(outcome).toEqual({ kind: 'succeeded', output: 'ready\ndone' })
  })
})

const ARGV = 'JSON.stringify(process.argv.slice(1))'
const ENV = 'JSON.stringify(process.env)'
/** Where Node.js is, which need not be in a system directory. */
const PATH = { PATH: process.env.PATH ?? '' }
