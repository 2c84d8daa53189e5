/** DELETE /worker-sessions/:id: ends a session that holds nothing any more. */
import { workerRoute } from '../../worker-sessions/define-route.ts'

export const closeSession = workerRoute({
  method: 'DELETE',
  path: '',
  summary: 'Close the session',
  handle: ({ sessions, session }) => sessions.end(session),
})
