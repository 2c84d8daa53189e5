/** Registers the routes of remote workers at /v1 and, as an alias, at /api/v1. */
import { limits, PunctualError } from '@punctual/core/errors'
import { type Caller, checkScope } from '@punctual/core/identity'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Admit } from '../../http/admit.ts'
import { callerOf, namedTenant, type Performing } from '../../http/perform.ts'
import { InFlight } from '../../shares/in-flight.ts'
import { problemAnswer } from '../../wire/schemas.ts'
import type { AnyWorkerRoute } from '../define-route.ts'
import { goneOf } from '../gone.ts'
import type { WorkerPorts } from '../ports.ts'
import { sendWithin } from '../send-within.ts'
import { WorkerSessions } from '../worker-sessions.ts'
import { saveCheckpoint } from './checkpoint.ts'
import { claimRuns } from './claim.ts'
import { closeSession } from './close.ts'
import { describeSession } from './describe.ts'
import { giveBackRuns } from './give-back.ts'
import { listLanes } from './list-lanes.ts'
import { appendLogs } from './log.ts'
import { openSession } from './open.ts'
import { reportProgress } from './progress.ts'
import { renewSession } from './renew.ts'
import { readSecret } from './secret.ts'
import { settleRuns } from './settle.ts'
import { startRuns } from './start.ts'
import { waitForHints } from './wait.ts'

const workerRoutes: readonly AnyWorkerRoute[] = [
  ...[openSession, renewSession, claimRuns, waitForHints, listLanes, startRuns, appendLogs],
  ...[reportProgress, saveCheckpoint, settleRuns, giveBackRuns, describeSession, closeSession],
  readSecret,
]

const PREFIXES = ['/v1', '/api/v1']
const BASE = '/worker-sessions'

export interface WorkerPerforming extends Performing {
  readonly workers: () => WorkerPorts
  /** Claims and waits of a tenant that are in flight at once. */
  readonly waitsPerTenant: number
}

/** Created at the first request, because the app exists before the ports. */
class Serving {
  readonly #workers: () => WorkerPorts
  #ports: WorkerPorts | null = null
  #sessions: WorkerSessions | null = null

  constructor(workers: () => WorkerPorts) {
    this.#workers = workers
  }

  get sessions(): WorkerSessions {
    const ports = this.#workers()
    if (!this.#sessions || this.#ports !== ports) this.#sessions = new WorkerSessions(ports)
    this.#ports = ports
    return this.#sessions
  }
}

export function addWorkerSessions(
  app: FastifyInstance,
  performing: WorkerPerforming,
  admit: Admit,
): void {
  const serving = new Serving(performing.workers)
  const waits = new InFlight()
  for (const prefix of PREFIXES)
    for (const route of workerRoutes)
      app.route<{ Params: { session_id?: string } }>({
        method: route.method,
        url: `${prefix}${BASE}${route.path === null ? '' : `/:session_id${route.path}`}`,
        bodyLimit: limits.workerBodyBytes,
        schema: schemaOf(route, prefix !== '/v1'),
        // Runs before the body is read: the body of an unauthenticated request is never read.
        onRequest: (request, _, next) => admit(request, 'worker', next),
        handler: async (request, reply) => {
          const gone = goneOf(reply.raw)
          const { sessions } = serving
          const whenSent = (done: () => void) =>
            sendWithin(reply.raw, performing.workers().clock, limits.answerReadMs, done)
          const { body } = request
          const tenantId = await namedTenant(request, request.caller, performing.service())
          const caller = { tenantId }
          const { session_id: id } = request.params
          const release = route.waits ? admitWait(waits, request.caller, performing) : null
          try {
            const session = id === undefined ? null : await sessions.authorise(caller, id)
            reply.code(route.status ?? 200)
            const recheck = async () => checkScope(await callerOf(request, performing), 'worker')
            const call = { sessions, caller, session, body, gone, recheck, whenSent, reply }
            return await route.handle(call)
          } finally {
            release?.()
          }
        },
      })
}

/** Counts a claim or wait of the caller's tenant until the returned function is called. */
function admitWait(
  waits: InFlight,
  { tenantId }: Caller,
  { waitsPerTenant }: WorkerPerforming,
): () => void {
  const release = waits.take(tenantId, waitsPerTenant)
  if (release) return release
  throw new PunctualError(
    'too_many_waits',
    `The workers of the tenant have ${waitsPerTenant} claims and waits in flight here, which is its limit. Send at most one claim and one wait per session at a time.`,
    { retryAfterMs: 1_000 },
  )
}

function schemaOf(route: AnyWorkerRoute, hide: boolean): FastifySchema {
  const { body, answer, summary, path, method, status = 200 } = route
  const verb = path?.slice(1) || (path === null ? 'open' : method.toLowerCase())
  const common = path === null ? [] : ['session_not_found']
  const problems = [...common, ...(route.problems ?? [])]
  const specific = problems.length > 0 ? ` Specific problems: ${problems.join(', ')}.` : ''
  return {
    ...(body && { body }),
    response: { [status]: { description: 'Success.', ...answer }, default: problemAnswer },
    ...{ summary, hide, tags: ['Worker sessions'], security: [{ apiKey: [] }] },
    operationId: `workerSession-${verb}`.replace(/-+(\w)/g, (_, initial) => initial.toUpperCase()),
    description: `Requires the scope \`worker\`.${specific}`,
    // For programs, as with the other routes.
    ...{ 'x-scope': 'worker', 'x-writes': false, 'x-problems': problems },
  }
}
