/** DELETE /worker-sessions/:id: closes a session that holds no runs. */
import Type from 'typebox'
import { answer } from '../../wire/schemas.ts'
import { workerRoute } from '../define-route.ts'

export const closeSession = workerRoute({
  method: 'DELETE',
  path: '',
  summary: 'Closes the session',
  answer: answer({
    closed: Type.Boolean({ description: 'False while it holds runs.' }),
  }),
  handle: ({ sessions, session }) => sessions.end(session),
})
