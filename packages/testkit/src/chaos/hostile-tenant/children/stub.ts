/**
 * A server that does nothing: the hostile tenant sends it the same requests as the nodes, so that
 * sending them costs the steady tenant the same processor time in both halves of the comparison.
 */
import { createServer } from 'node:http'
import { readSettings } from '../../plan/child-settings.ts'
import { answerQuestions } from '../plan/answer-questions.ts'

const LONG_POLL_MS = 5_000
const ANSWER = '{"id":"1","runs":[],"items":[]}'

let sessions = 0
const server = createServer((request, response) => {
  request.resume()
  const { method, url = '' } = request
  const headers = { 'content-type': 'application/json' }
  if (url.endsWith('/activity')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n')
    return
  }
  if (method === 'POST' && url.endsWith('/worker-sessions')) {
    request.once('end', () =>
      response.writeHead(201, headers).end(`{"id":"${++sessions}","runs":[]}`),
    )
    return
  }
  const answer = () => response.writeHead(200, headers).end(ANSWER)
  // waits: a long poll is held, as a node would hold it
  if (/\/(?:claim|wait)$/.test(url)) setTimeout(answer, LONG_POLL_MS)
  else request.once('end', answer)
})
server.keepAliveTimeout = 60_000
server.listen(readSettings().port, '127.0.0.1', () => answerQuestions({}))
