/**
 * The interface of the systems under test. Each file adapts one of them to the same small interface
 * and is loaded in a child process, never in the bench itself, so that its CPU is measured
 * separately.
 *
 * @typedef {{ databaseUrl: string, redisUrl?: string }} Env  one fresh database (or Redis) per measurement
 * @typedef {{ payload: object, dueMs?: number }} Item
 * @typedef {(payload: any, context?: { dueAt: Date, job: object | null }) => void | Promise<void>} Handler
 *   only Punctual passes `context`
 *
 * @typedef {'throughput' | 'latency' | 'timed' | 'slow' | 'idle'} Profile
 *   throughput: as many runs as possible; latency: one run as soon as possible; timed: many runs,
 *   each at its own instant; slow: many concurrent handlers that take seconds; idle: the system's
 *   defaults.
 *
 * @typedef {object} Role
 * @property {boolean} [produce]
 * @property {boolean} [work]
 * @property {Profile} profile
 * @property {number} [connections]  of a producer; absent = the system's best number
 * @property {number} [concurrency]  of a worker in the slow profile
 * @property {string[]} [roles]  of a Punctual process, if a scenario assigns roles
 * @property {number} [processes]  the number of such workers; absent = 1
 *
 * @typedef {object} Client
 * @property {(items: Item[]) => Promise<void>} submitMany  one accepted batch
 * @property {(item: Item) => Promise<void>} submitOne
 * @property {(handler: Handler) => Promise<void>} start  begin to claim, after all slow preparation
 * @property {() => Promise<void>} [hold]  accept runs without handing them out, until `release`;
 *   for a system without it, `fleet` gives its runs a due time instead
 * @property {() => Promise<void>} [release]
 * @property {() => Promise<boolean>} settled  true when no accepted run is unfinished in the store
 * @property {(jobs: object[]) => Promise<void>} [upsertJobs]  one batch of jobs; Punctual only
 * @property {() => Promise<void>} close  stop claiming, finish held runs, disconnect
 *
 * @typedef {object} Adapter
 * @property {{ batchSize: number, inFlight: number }} bulk  the best known bulk settings
 * @property {(env: Env) => Promise<void>} prepare  create the schema in an empty database
 * @property {(env: Env, role: Role) => Promise<Client>} open
 * @property {(cron: string, timezone?: string) => (afterMs: number) => number} [nextOf]  computes next fires
 * @property {(env: Env, window: { fromMs: number, untilMs: number }) => Promise<object>} [verify]  Punctual only
 */

/** @returns {Promise<Adapter>} */
export async function loadAdapter(name) {
  const { adapter } = await import(`./${name}.mjs`)
  return adapter
}
