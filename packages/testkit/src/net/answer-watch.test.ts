import { expect, it } from 'vitest'
import { AnswerWatch } from './answer-watch.ts'

const asking = (line: string) => {
  const watch = new AnswerWatch()
  watch.sent(Buffer.from(`${line} HTTP/1.1\r\nhost: a\r\n\r\n`))
  return watch
}
const done = Buffer.from('HTTP/1.1 201 Created\r\n\r\n')
const always = () => true

it('the watch withholds the answer to a change that was made, and reports which', () => {
  const watch = asking('POST /v1/worker-sessions/7793306012199899955/settle')
  watch.sent(Buffer.from('{"outcomes":[]}'))
  expect(watch.answered(done, always)).toEqual({
    forward: [],
    swallowed: 'POST /v1/worker-sessions/…/settle',
  })
})

it.for([
  ['a request that only reads', 'GET /v1/runs', done],
  ['a refused request', 'POST /v1/runs', Buffer.from('HTTP/1.1 503 Unavailable\r\n\r\n')],
] as const)('the watch forwards the answer to %s', ([, line, answer]) => {
  expect(asking(line).answered(answer, always)).toEqual({ forward: [answer], swallowed: null })
})

it('the watch forwards a whole answer when not armed', () => {
  const watch = asking('POST /v1/runs')
  const rest = Buffer.from('HTTP/1.1 2 is what this body begins with')
  expect(watch.answered(done, () => false).forward).toEqual([done])
  expect(watch.answered(rest, always).forward).toEqual([rest])
})

it('applies the fate that a test chooses for a request', () => {
  const chosen: string[] = []
  const watch = new AnswerWatch(({ method, path, headers }) => {
    chosen.push(`${method} ${path} ${headers.host}`)
    return chosen.length === 1 ? 'lose' : 'cut'
  })
  const request = Buffer.from('GET /v1/jobs?limit=1 HTTP/1.1\r\nHost: a\r\n\r\n')
  const answer = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody')
  expect(watch.sent(request)).toBe('lose')
  expect(watch.answered(answer, always)).toEqual({ forward: [], swallowed: null, ends: true })
  expect(watch.sent(request)).toBe('cut')
  const { forward } = watch.answered(answer, always)
  expect(Buffer.concat(forward).toString()).toBe(answer.toString().replace('body', 'bo'))
  expect(chosen).toEqual(Array(2).fill('GET /v1/jobs?limit=1 a'))
})
