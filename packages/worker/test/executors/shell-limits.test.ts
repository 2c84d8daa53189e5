/** Limits of commands: output, memory, files and processes, of which none may stay behind. */
import { describe, expect, test } from 'vitest'
import { containments, processesWith, shellKit, uniqueSleep } from './shell-kit.ts'

/** Ignores SIGTERM, has its own session, and a parent that has ended. */
const leaving = (seconds: string, clear = '') =>
  `(setsid sh -c 'trap "" TERM; (trap "" TERM; ${clear} /bin/sleep ${seconds}) & ' &)`

describe.each(containments)('a command %s', (name, containment) => {
  const kit = shellKit(containment)
  // Nothing but a namespace holds a process that has also cleared its environment.
  const escaping = (seconds: string) =>
    name === 'in a namespace'
      ? `${leaving(seconds, 'env -i')}; ${leaving(seconds)}`
      : leaving(seconds)

  test('that floods its output is read on, logged up to the limit, and succeeds (case 147)', async () => {
    const { outcome, lines } = await kit.script('yes | head -c 200000000; echo; echo end', {
      outputBytes: 10_000,
    })
    expect(outcome.kind).toBe('succeeded')
    expect((outcome as { output: string }).output).toMatch(/^y\n.*\nend$/s)
    expect(lines.length).toBeLessThan(6_000)
    expect(lines.at(-1)?.message).toMatch(/reached its limit/)
  })

  test('may write binary output, without line breaks and invalid UTF-8 (case 147)', async () => {
    const { outcome, lines } = await kit.script('head -c 300000 /dev/urandom; printf "\\377\\376x"')
    expect(outcome.kind).toBe('succeeded')
    expect(lines.every(({ message }) => message.length <= 32_768)).toBe(true)
  })

  test('may close its outputs and keep running (case 147)', async () => {
    const { outcome } = await kit.script('exec >&- 2>&-; sleep 0.2; exit 3')
    expect(outcome).toMatchObject({ failure: { code: 'exit_3' } })
  })

  test('ends with all its processes within a second of its signal (case 148)', async () => {
    const seconds = uniqueSleep()
    const abort = new AbortController()
    let stoppedAtMs = 0
    const onLine = () => {
      stoppedAtMs = performance.now()
      abort.abort()
    }
    const script = `${escaping(seconds)}; sleep 0.3; echo ready; trap "" TERM; /bin/sleep ${seconds}`
    const { outcome } = await kit.script(script, { signal: abort.signal, onLine })
    expect(performance.now() - stoppedAtMs).toBeLessThan(1_000)
    expect(outcome).toMatchObject({ failure: { code: 'stopped' }, reached: 'perhaps' })
    expect(processesWith(`sleep ${seconds}`)).toEqual([])
  })

  test('leaves no process behind when it succeeds, also none that holds its output (case 148)', async () => {
    const seconds = uniqueSleep()
    const { outcome } = await kit.script(`${escaping(seconds)}; sleep 0.3; echo ended`)
    expect(outcome).toEqual({ kind: 'succeeded', output: 'ended' })
    expect(processesWith(`sleep ${seconds}`)).toEqual([])
  })

  test('that uses more memory than it may is killed (case 148)', async () => {
    const script = "exec node -e 'const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))'"
    const { outcome } = await kit.script(script, {
      memoryMb: 200,
      env: { PATH: process.env.PATH ?? '' },
    })
    expect(outcome).toMatchObject({ failure: { code: 'memory_exceeded' }, reached: 'perhaps' })
  })

  test('that starts more processes than it may is killed (case 148)', async () => {
    const seconds = uniqueSleep()
    const script = `i=0; while [ $i -lt 60 ]; do /bin/sleep ${seconds} & i=$((i+1)); done; wait`
    const { outcome } = await kit.script(script, { processes: 20 })
    expect(outcome).toMatchObject({
      failure: { message: expect.stringMatching(/more than 20 processes|fork/) },
    })
    expect(processesWith(`sleep ${seconds}`)).toEqual([])
  })

  test('that writes a larger file than it may, or opens too many, fails (case 148)', async () => {
    const { outcome } = await kit.script('exec head -c 3000000 /dev/zero > big', { fileMb: 1 })
    expect(outcome).toMatchObject({
      failure: { message: expect.stringMatching(/SIGXFSZ|too large/) },
    })
    const { lines } = await kit.script('ulimit -n; ulimit -c')
    expect(lines.map(({ message }) => message)).toEqual(['1024', '0'])
  })

  // skips: only a namespace hides other processes and takes the network away.
  test.skipIf(name !== 'in a namespace')('cannot see the worker (cases 150, 151)', async () => {
    const { outcome } = await kit.script(`ls /proc/${process.pid}/environ; kill -0 ${process.pid}`)
    expect(outcome).toMatchObject({
      failure: { message: expect.stringMatching(/No such (file|process)/) },
    })
  })

  // skips: only a namespace hides other processes and takes the network away.
  test.skipIf(name !== 'in a namespace')(
    'has no network when its target says so (case 150)',
    async () => {
      const { lines } = await kit.script('grep -c : /proc/net/dev', { network: false })
      expect(lines).toMatchObject([{ level: 'info', message: '1' }])
    },
  )
})
