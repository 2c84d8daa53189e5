/** A worker process whose handler runs in a separate process: for tests that kill the worker. */
import { Punctual } from 'punctual'

const punctual = await Punctual.start({
  databaseUrl: process.env.DATABASE_URL,
  roles: ['worker'],
})
const module = new URL('./isolated.mjs', import.meta.url)
punctual.handler(process.env.HANDLER, { isolation: 'process' }, module)
