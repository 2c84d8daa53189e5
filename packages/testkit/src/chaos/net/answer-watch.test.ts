import { expect, it } from 'vitest'
import { AnswerWatch } from './answer-watch.ts'

const asking = (line: string) => {
  const watch = new AnswerWatch()
  watch.sent(Buffer.from(`${line} HTTP/1.1\r\nhost: a\r\n\r\n`))
  return watch
}
const done = Buffer.from('HTTP/1.1 201 Created\r\n\r\n')
const always = () => true

it('keeps the answer to a change that was made, and says which', () => {
  const watch = asking('POST /v1/worker-sessions/7793306012199899955/settle')
  watch.sent(Buffer.from('{"outcomes":[]}'))
  expect(watch.answered(done, always)).toEqual({
    forward: [],
    swallowed: 'POST /v1/worker-sessions/…/settle',
  })
})

it.for([
  ['what only looks', 'GET /v1/runs', done],
  ['what was refused', 'POST /v1/runs', Buffer.from('HTTP/1.1 503 Unavailable\r\n\r\n')],
] as const)('passes on the answer to %s', ([, line, answer]) => {
  expect(asking(line).answered(answer, always)).toEqual({ forward: [answer], swallowed: null })
})

it('passes on what it is not told to keep, to its end', () => {
  const watch = asking('POST /v1/runs')
  const rest = Buffer.from('HTTP/1.1 2 is what this body begins with')
  expect(watch.answered(done, () => false).forward).toEqual([done])
  expect(watch.answered(rest, always).forward).toEqual([rest])
})
