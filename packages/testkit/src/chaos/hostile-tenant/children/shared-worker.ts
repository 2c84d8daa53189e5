/** A worker with a database connection that runs the handler `shared` for all tenants. */
import { Punctual } from 'punctual'
import { libraryOptions, readSettings } from '../../plan/child-settings.ts'
import { answerQuestions } from '../plan/answer-questions.ts'
import { LatenessLog, type Window } from '../plan/lateness-log.ts'
import type { SteadyPayload } from '../plan/tenants.ts'

const settings = readSettings()
const lateness = new LatenessLog()
const punctual = await Punctual.start({ ...libraryOptions(settings), roles: ['worker'] })
punctual.handler('shared', (payload: SteadyPayload | null, ctx) => {
  if (payload?.hostile !== true) lateness.add(payload?.wantedMs ?? ctx.dueAt.getTime())
})
answerQuestions({ figures: (window: Window) => ({ lateness: lateness.within(window) }) })
