/**
 * Counts what a system sends to its server: every statement with pg_stat_statements where it can be
 * created; otherwise committed transactions from pg_stat_database (fewer than statements, and
 * labelled as such), or the commands that Redis processed.
 */
import { Redis } from 'ioredis'
import pg from 'pg'
import { SYSTEMS } from '../systems/catalogue.mjs'

/** @returns {Promise<{ during: (wait: () => Promise<void>) => Promise<{ count: number, countedBy: string }>, connections: () => Promise<number>, close: () => Promise<void> }>} */
export async function openStatementCounter(bench, system) {
  if (SYSTEMS[system].store === 'redis') return redisCounter(bench.redis.url)
  const client = new pg.Client(bench.postgres.url)
  // After a failed measurement it stays open until the server ends.
  client.on('error', () => {})
  await client.connect()
  const exact = await hasStatements(client)
  const query = exact ? STATEMENTS : TRANSACTIONS
  const read = async () => Number((await client.query(query)).rows[0].count)
  return {
    async during(wait) {
      const before = await read()
      await wait()
      const count = (await read()) - before
      return { count, countedBy: exact ? 'pg_stat_statements' : 'transactions only' }
    },
    async connections() {
      const { rows } = await client.query(
        `select count(*) from pg_stat_activity where datname like 'bench%'
         and backend_type = 'client backend'`,
      )
      return Number(rows[0].count)
    },
    close: () => client.end(),
  }
}

const STATEMENTS = `select coalesce(sum(calls), 0) as count
  from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname like 'bench%'`
const TRANSACTIONS = `select sum(xact_commit + xact_rollback) as count from pg_stat_database
  where datname like 'bench%'`

async function hasStatements(client) {
  try {
    await client.query('create extension if not exists pg_stat_statements')
    await client.query(STATEMENTS)
    return true
  } catch {
    return false
  }
}

async function redisCounter(url) {
  const redis = new Redis(url)
  const read = async (key) => Number((await redis.info()).match(new RegExp(`${key}:(\\d+)`))[1])
  return {
    async during(wait) {
      const before = await read('total_commands_processed')
      await wait()
      const count = (await read('total_commands_processed')) - before - 1
      return { count, countedBy: 'Redis commands' }
    },
    connections: async () => (await read('connected_clients')) - 1,
    close: async () => redis.disconnect(),
  }
}
