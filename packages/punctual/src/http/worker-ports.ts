/** Implements the ports of the remote workers' API with a `Punctual`. */
import type { WorkerPorts } from '@punctual/api'
import { systemClock, systemRandom } from '@punctual/store'
import type { Punctual } from '../punctual.ts'
import { sharingClaims } from './shared-claims.ts'

export function workerPortsOf(
  { store, outputBytes }: Punctual,
  draining: AbortSignal,
): WorkerPorts {
  const { signals, work, remoteSessions, secrets } = store
  signals.listen()
  return {
    ...{ work, remoteSessions, clock: systemClock, random: systemRandom, outputBytes, draining },
    claim: sharingClaims(work),
    secret: (tenantId, name) => secrets.read(tenantId, name),
    onHint: (listener) => signals.onHint(listener),
    hintsArrive: () => signals.connected,
  }
}
