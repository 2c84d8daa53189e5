/** A remote worker of the steady tenant that holds a run until it is killed; the next one ends it. */
import { RemoteWorker } from 'punctual'
import { gate } from '../../../gate.ts'
import { libraryOptions, readSettings } from '../../plan/child-settings.ts'
import { monotonicMs } from '../../plan/ledger.ts'
import { answerQuestions } from '../plan/answer-questions.ts'
import type { Keys } from '../plan/tenants.ts'

const settings = readSettings()
const { worker, logger } = libraryOptions(settings)
const { steady } = (settings.more as { keys: Keys }).keys
const started = gate<number>()

const remote = RemoteWorker.start({
  ...{ server: settings.servers ?? [], apiKey: steady.worker },
  ...(worker && { worker }),
  ...(logger !== undefined && { logger }),
})
remote.handler('held', (_: unknown, { attempt, signal }) => {
  started.open(monotonicMs())
  if (attempt > 1) return
  return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
})

answerQuestions({ started: () => started.opened })
