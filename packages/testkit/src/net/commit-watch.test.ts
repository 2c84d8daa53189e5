import { expect, it } from 'vitest'
import { CommitWatch } from './commit-watch.ts'

function message(type: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  )
  const head = Buffer.alloc(type.length + 4)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, type.length)
  return Buffer.concat([head, body])
}

const hello = message(
  '',
  Buffer.from([0, 3, 0, 0]),
  'user\0me\0application_name\0punctual heartbeat\0\0',
)
const sync = message('S')
const parse = (name: string, text: string) => message('P', `${name}\0${text}\0\0\0`)
const bind = (name: string) => message('B', `\0${name}\0\0\0\0\0\0\0`)
const query = (text: string) => message('Q', `${text}\0`)
const complete = (tag: string) => message('C', `${tag}\0`)
const ready = (status: string) => message('Z', status)
const failed = message('E', 'SERROR\0\0')

function greeted(): CommitWatch {
  const watch = new CommitWatch()
  watch.sent(hello)
  watch.answered(Buffer.concat([message('R', Buffer.alloc(4)), ready('I')]), () => false)
  return watch
}
const always = () => true

it('the watch knows the application name of the client', () => {
  expect(greeted().application).toBe('punctual heartbeat')
})

it('the watch withholds only the answer to a statement that wrote', () => {
  const watch = greeted()
  watch.sent(Buffer.concat([parse('a', 'select 1'), bind('a'), sync]))
  watch.sent(Buffer.concat([parse('b', 'with x as (delete from t) select 1'), bind('b'), sync]))
  const read = Buffer.concat([complete('SELECT 1'), ready('I')])
  const passed = watch.answered(Buffer.concat([read, read]), always)
  expect(Buffer.concat([...passed.forward])).toEqual(read)
  expect(passed.swallowed).toBe('b')
})

it('an update is a write, regardless of the name of its table', () => {
  const watch = greeted()
  watch.sent(query('update punctual.leases set started_at = clock_timestamp()'))
  const answer = Buffer.concat([complete('UPDATE 1'), ready('I')])
  expect(watch.answered(answer, always).swallowed).toMatch(/^update punctual/)
})

it('a statement inside a transaction is not a commit; the commit is', () => {
  const watch = greeted()
  watch.sent(Buffer.concat([query('begin'), query('insert into t values (1)'), query('commit')]))
  const begun = Buffer.concat([complete('BEGIN'), ready('T'), complete('INSERT 0 1'), ready('T')])
  expect(watch.answered(begun, always).swallowed).toBeNull()
  expect(watch.answered(Buffer.concat([complete('COMMIT'), ready('I')]), always).swallowed).toBe(
    'commit',
  )
})

it('a failed statement is not a commit, and its error is forwarded', () => {
  const watch = greeted()
  watch.sent(query('insert into t values (1)'))
  const answer = Buffer.concat([failed, ready('I')])
  const passed = watch.answered(answer, always)
  expect(passed.swallowed).toBeNull()
  expect(Buffer.concat([...passed.forward])).toEqual(answer)
})

it('messages that arrive in pieces are forwarded whole and in order', () => {
  const watch = greeted()
  watch.sent(query('update t set a = 1'))
  const answer = Buffer.concat([message('N', 'notice\0'), complete('UPDATE 1'), ready('I')])
  const forward: Buffer[] = []
  for (const byte of answer)
    forward.push(...watch.answered(Buffer.from([byte]), () => false).forward)
  expect(Buffer.concat(forward)).toEqual(answer)
})
