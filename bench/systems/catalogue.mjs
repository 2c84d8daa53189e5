/**
 * Descriptions of the systems for the tables: where each keeps its jobs, what it keeps of a
 * finished one, and its settings. README.md explains how the peers' best settings were found.
 */

/** @typedef {'bulk' | 'single' | 'throughput' | 'latency' | 'timed' | 'slow' | 'idle' | 'plan' | 'cron' | 'register' | 'next' | 'history'} SettingsOf */

/** @type {Record<string, { store: 'postgres' | 'redis' | 'none', history: string, settings: Partial<Record<SettingsOf, string>> }>} */
export const SYSTEMS = {
  floor: {
    store: 'postgres',
    history: 'runs, outcomes',
    settings: {
      bulk: 'batches of 1,000, 2 connections (4 in steady), two in flight on each',
      single: '2 connections; concurrent submissions share a statement',
      throughput: 'batches of 1,000, 2 connections',
      latency: 'NOTIFY after commit, LISTEN, claims at least 5 ms apart',
      timed: 'claims every 5 ms',
      plan: 'batches of 2,000 on one connection, one transaction each',
      slow: '',
      idle: '',
    },
  },
  punctual: {
    store: 'postgres',
    history: 'runs, attempts, outcomes, logs',
    settings: {
      bulk: 'submitMany of 1,000, 4 in flight',
      single: 'submit',
      throughput: 'concurrency 1,000',
      latency: 'concurrency 100',
      timed: 'concurrency 1,000',
      slow: 'concurrency 100',
      idle: 'defaults, all roles',
      plan: 'one planner, default batches and connections; jobs with all defaults (overlap skip)',
      cron: 'one process with the worker, concurrency 1,000; others with planner, reaper and janitor',
      register: 'jobs.upsertMany of 1,000, 2 in flight',
      history: 'one process, one connection for reading; pages of 100',
      next: 'compileTiming once, nextSlot for each; no memo',
    },
  },
  'graphile-worker': {
    store: 'postgres',
    history: 'none (deleted when done)',
    settings: {
      bulk: 'SQL add_jobs of 1,000, 2 in flight',
      single: 'addJob, pool of 10',
      throughput:
        'localQueue 5,000 (1,000 in fleet), completeJobBatchDelay 0, failJobBatchDelay 0, 24 jobs',
      latency: 'localQueue 100, batched completion, 10 jobs, LISTEN',
      timed: 'localQueue 500, poll every 5 ms, batched completion, 24 jobs',
      slow: '100 jobs, localQueue 10 with a refetch delay of 100 ms, batched completion, pool of 4',
      idle: '10 jobs, localQueue 11 (one poller), else defaults (poll every 2 s)',
    },
  },
  'pg-boss': {
    store: 'postgres',
    history: 'finished jobs stay 12 h, then an archive',
    settings: {
      bulk: 'insert of 1,000, 2 in flight',
      single: 'send, pool of 10',
      throughput: 'hand-made fetch/complete of 20,000 (5,000 in fleet), 2 loops, priority off',
      latency: 'work(), poll every 0.5 s (its minimum)',
      timed: 'hand-made fetch/complete every 10 ms, 2 loops, priority off',
      slow: 'hand-made: complete ended jobs, fetch for the free capacity, every 0.5 s',
      idle: 'work(), poll every 2 s (default)',
    },
  },
  croner: {
    store: 'none',
    history: 'none',
    settings: { next: 'new Cron(pattern, { timezone, paused }) once, nextRun(previous) for each' },
  },
  'cron-parser': {
    store: 'none',
    history: 'none',
    settings: { next: 'parse once, next() for each' },
  },
  bullmq: {
    store: 'redis',
    history: 'none (removeOnComplete)',
    settings: {
      bulk: 'addBulk of 1,000, 2 in flight',
      single: 'add, 1 connection',
      throughput: 'concurrency 200; Redis syncs once a second',
      latency: 'concurrency 1; Redis syncs once a second',
      timed: 'concurrency 200; Redis syncs once a second',
      slow: 'concurrency 100; Redis syncs once a second',
      idle: 'concurrency 10, else defaults',
    },
  },
}

/** The peers that store their jobs in the same PostgreSQL. */
export const POSTGRES_PEERS = ['graphile-worker', 'pg-boss']
export const PEERS = [...POSTGRES_PEERS, 'bullmq']
/** Libraries that only compute when a cron expression fires. */
export const CRON_LIBRARIES = ['croner', 'cron-parser']
