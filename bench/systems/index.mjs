/**
 * The systems under test. Each file adapts one of them to the same small interface; it is loaded in
 * a child process, never in the bench itself, so that its CPU can be told apart.
 *
 * @typedef {{ databaseUrl: string, redisUrl?: string }} Env  one fresh database (or Redis) per measurement
 * @typedef {{ payload: object, dueMs?: number }} Item
 * @typedef {(payload: any) => void | Promise<void>} Handler
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
 *
 * @typedef {object} Client
 * @property {(items: Item[]) => Promise<void>} submitMany  one accepted batch
 * @property {(item: Item) => Promise<void>} submitOne
 * @property {(handler: Handler) => Promise<void>} start  begin to claim; everything slow is done by then
 * @property {() => Promise<void>} [hold]  accept runs without handing them out, until `release`;
 *   where a system lacks it, `fleet` gives its runs a due time instead
 * @property {() => Promise<void>} [release]
 * @property {() => Promise<boolean>} settled  true when no accepted run is unfinished in the store
 * @property {() => Promise<void>} close  stop claiming, finish what is held, disconnect
 *
 * @typedef {object} Adapter
 * @property {{ batchSize: number, inFlight: number }} bulk  the best way found to submit in bulk
 * @property {(env: Env) => Promise<void>} prepare  make the schema in an empty database
 * @property {(env: Env, role: Role) => Promise<Client>} open
 */

/** What the tables say about each system; `store` decides which server it needs. */
export const SYSTEMS = {
  punctual: {
    store: 'postgres',
    history: 'runs, attempts, outcomes, logs',
    settings: 'library defaults; submitMany of 1,000, concurrency 1,000',
  },
  'graphile-worker': {
    store: 'postgres',
    history: 'none (deleted when done)',
    settings: 'add_jobs of 1,000 on 2 connections; local queue 5,000, batched completion, 24 jobs',
  },
  'pg-boss': {
    store: 'postgres',
    history: 'finished jobs stay 12 h, then an archive',
    settings: 'insert of 1,000 on 2 connections; hand-made fetch/complete of 2,000 on 2',
  },
  bullmq: {
    store: 'redis',
    history: 'none (removeOnComplete)',
    settings: 'addBulk of 1,000, 2 at a time; concurrency 200; Redis syncs once a second',
  },
  floor: {
    store: 'postgres',
    history: 'runs, outcomes',
    settings: 'bare statements, batches of 1,000, 2 connections',
  },
}

/** The peers that keep their promises with the same PostgreSQL. */
export const POSTGRES_PEERS = ['graphile-worker', 'pg-boss']
export const PEERS = [...POSTGRES_PEERS, 'bullmq']

/** @returns {Promise<Adapter>} */
export async function loadAdapter(name) {
  const { adapter } = await import(`./${name}.mjs`)
  return adapter
}
