/**
 * The interface of the systems under test. Each file adapts one of them to the same small interface; it is loaded in
 * a child process, never in the bench itself, so that its CPU can be told apart.
 *
 * @typedef {{ databaseUrl: string, redisUrl?: string }} Env  one fresh database (or Redis) per measurement
 * @typedef {{ payload: object, dueMs?: number }} Item
 * @typedef {(payload: any, context?: { dueAt: Date, job: object | null }) => void | Promise<void>} Handler
 *   `context` from Punctual only
 *
 * @typedef {'throughput' | 'latency' | 'timed' | 'slow' | 'idle'} Profile
 *   throughput: as much as it can; latency: one run as soon as it can; timed: many runs, each at its
 *   own instant; slow: many handlers of seconds at once; idle: the system's own defaults.
 *
 * @typedef {object} Role
 * @property {boolean} [produce]
 * @property {boolean} [work]
 * @property {Profile} profile
 * @property {number} [connections]  of a producer; absent = the system's best
 * @property {number} [concurrency]  of a worker in the slow profile
 * @property {string[]} [roles]  of a Punctual process, where a scenario says which does what
 * @property {number} [processes]  how many such workers there are; absent = 1
 *
 * @typedef {object} Client
 * @property {(items: Item[]) => Promise<void>} submitMany  one accepted batch
 * @property {(item: Item) => Promise<void>} submitOne
 * @property {(handler: Handler) => Promise<void>} start  begin to claim; everything slow is done by then
 * @property {() => Promise<void>} [hold]  accept runs without handing them out, until `release`;
 *   where a system lacks it, `fleet` gives its runs a due time instead
 * @property {() => Promise<void>} [release]
 * @property {() => Promise<boolean>} settled  true when no accepted run is unfinished in the store
 * @property {(jobs: object[]) => Promise<void>} [upsertJobs]  one batch of jobs; Punctual only
 * @property {() => Promise<void>} close  stop claiming, finish what is held, disconnect
 *
 * @typedef {object} Adapter
 * @property {{ batchSize: number, inFlight: number }} bulk  the best way found to submit in bulk
 * @property {(env: Env) => Promise<void>} prepare  make the schema in an empty database
 * @property {(env: Env, role: Role) => Promise<Client>} open
 * @property {(cron: string, timezone?: string) => (afterMs: number) => number} [nextOf]  of what computes next fires
 * @property {(env: Env, window: { fromMs: number, untilMs: number }) => Promise<object>} [verify]  Punctual only
 */

/** @returns {Promise<Adapter>} */
export async function loadAdapter(name) {
  const { adapter } = await import(`./${name}.mjs`)
  return adapter
}
