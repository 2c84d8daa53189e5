/** DELETE /worker-sessions/:id: ends a session that holds nothing any more. */
import Type from 'typebox'
import { answer } from '../../wire/schemas.ts'
import { workerRoute } from '../define-route.ts'

export const closeSession = workerRoute({
  method: 'DELETE',
  path: '',
  summary: 'Close the session',
  answer: answer({
    closed: Type.Boolean({ description: 'False while it holds runs.' }),
  }),
  handle: ({ sessions, session }) => sessions.end(session),
})
