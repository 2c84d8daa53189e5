import pg from 'pg'
import { atLeast, ratioOfRounds } from '../lib/bars.mjs'
import { number } from '../lib/cells.mjs'
import { POSTGRES_PEERS } from '../systems/catalogue.mjs'
import { submitAndDrain } from './measuring.mjs'

const ROUNDS = 8
const WARM_UP = 20_000

/** @type {import('./index.mjs').Scenario} */
export const frozen = {
  name: 'frozen',
  what: 'eight rounds of 100,000 under one open snapshot, which prevents vacuum from removing rows',
  systems: ['floor', 'punctual', ...POSTGRES_PEERS],
  figure: (result) => result.rounds.at(-1),
  settings: ['throughput'],
  better: 'higher',
  unit: '/s',
  columns: ({ rounds }) => ({
    'rounds 1-8': rounds.map((perSecond) => number(perSecond)).join(' '),
    '8 / 1': (rounds.at(-1) / rounds[0]).toFixed(2),
  }),
  json: ({ rounds }) => ({ rounds }),
  bars: (results) => [
    ratioOfRounds(results, 'punctual', 0.8),
    atLeast(withRatio(results), 'ratioOfRounds', 0.9, "the floor's round 8 / round 1", ['floor']),
    atLeast(results, 'perSecond', 0.8, 'round 8 of the floor', ['floor']),
    ...POSTGRES_PEERS.map((peer) => ratioOfRounds(results, peer)),
  ],

  measure(bench, system) {
    const count = bench.count(100_000)
    return bench.fresh(system, async ({ env, child, analyze }) => {
      const [producer, worker] = [await child(), await child()]
      await producer.call('open', { produce: true, profile: 'throughput' })
      const parts = { producer, worker, analyze }
      await submitAndDrain(bench, system, parts, WARM_UP)
      const snapshot = await openSnapshot(env.databaseUrl)
      const results = []
      for (let round = 0; round < ROUNDS; round++) {
        results.push(await submitAndDrain(bench, system, parts, count))
      }
      await snapshot.end()
      return { ...results.at(-1), rounds: results.map(({ perSecond }) => perSecond) }
    })
  },
}

/** The results with their own ratio of the last round to the first. */
function withRatio(results) {
  const ratioed = Object.entries(results).map(([name, { rounds }]) => [
    name,
    { ratioOfRounds: rounds.at(-1) / rounds[0] },
  ])
  return Object.fromEntries(ratioed)
}

/** Stands for a report or a dump: it reads once, then holds back every vacuum. */
async function openSnapshot(databaseUrl) {
  const client = new pg.Client(databaseUrl)
  client.on('error', () => {})
  await client.connect()
  await client.query('begin isolation level repeatable read read only')
  await client.query('select count(*) from pg_class')
  return client
}
