/** The complete client. A browser bundle can use a `Connection` and only the resources it needs. */

import type { ClientOptions } from './http/client-options.ts'
import { Connection } from './http/connection.ts'
import type { AnswerOf, CallOptions } from './http/operation.ts'
import { type ActivityEvent, type ActivityOptions, activity } from './resources/activity.ts'
import { ApiKeys } from './resources/api-keys.ts'
import { Audit } from './resources/audit.ts'
import { Calendars } from './resources/calendars.ts'
import { DeadLetters } from './resources/dead-letters.ts'
import { Groups } from './resources/groups.ts'
import { Jobs } from './resources/jobs.ts'
import { Queues } from './resources/queues.ts'
import { Runs } from './resources/runs.ts'
import { Secrets } from './resources/secrets.ts'
import { Stats } from './resources/stats.ts'
import { Tenants } from './resources/tenants.ts'
import { Workers } from './resources/workers.ts'

export interface Client {
  readonly jobs: Jobs
  readonly runs: Runs
  readonly deadLetters: DeadLetters
  readonly queues: Queues
  readonly groups: Groups
  readonly calendars: Calendars
  readonly workers: Workers
  readonly stats: Stats
  readonly secrets: Secrets
  readonly audit: Audit
  readonly apiKeys: ApiKeys
  readonly tenants: Tenants
  /** Returns the name, tenant and scopes of the API key. */
  me(options?: CallOptions): Promise<AnswerOf<'GET /me'>>
  /** Streams the runs of the tenant as they end. */
  activity(options?: ActivityOptions): AsyncGenerator<ActivityEvent, void, undefined>
  /** Calls any operation of the API: `call('GET /jobs/{id}', { params: { id } })`. */
  readonly call: Connection['call']
}

export function createClient(options: ClientOptions): Client {
  const connection = new Connection(options)
  return {
    jobs: new Jobs(connection),
    runs: new Runs(connection),
    deadLetters: new DeadLetters(connection),
    queues: new Queues(connection),
    groups: new Groups(connection),
    calendars: new Calendars(connection),
    workers: new Workers(connection),
    stats: new Stats(connection),
    secrets: new Secrets(connection),
    audit: new Audit(connection),
    apiKeys: new ApiKeys(connection),
    tenants: new Tenants(connection),
    me: (options) => connection.call('GET /me', {}, options),
    activity: (options) => activity(connection, options),
    call: (operation, input, more) => connection.call(operation, input, more),
  }
}
