/** A server over HTTP, behind the part of the library that commands use. */
import { type Client, createClient } from '@punctual/client'
import type { Pause, Queue } from '@punctual/core/queue'
import type { SubmitOptions } from '@punctual/core/submit'
import type { Target } from '@punctual/core/target'
import type { Config } from '../../../config/settings.ts'
import type { Operator } from '../../runtime/operator.ts'
import { libraryNames } from './library-names.ts'
import { remoteDeadLetters } from './remote-dead-letters.ts'
import { remoteJobs } from './remote-jobs.ts'
import { remoteRuns } from './remote-runs.ts'
import { runToWire } from './submission-to-wire.ts'

export function openRemote(url: readonly string[], { apiKey }: Config): Operator {
  const client = createClient({ url, apiKey: apiKey ?? undefined, retries: 2 })
  return {
    jobs: remoteJobs(client),
    runs: remoteRuns(client),
    deadLetters: remoteDeadLetters(client),
    queues: remoteQueues(client),
    async submit(handler: string | Target, payload: unknown, options: SubmitOptions = {}) {
      return client.runs.submit(runToWire(handler, payload, options))
    },
    // Ages are shown to the second, so the clock of this machine is accurate enough.
    nowMs: () => Date.now(),
  }
}

function remoteQueues({ queues }: Client): Operator['queues'] {
  const list = async () => libraryNames(await queues.list()) as Queue[]
  return {
    list,
    async pauses() {
      const found = new Map<string | null, Pause>()
      for (const { pause } of await list()) if (pause) found.set(pause.queue, pause)
      return [...found.values()]
    },
  }
}
